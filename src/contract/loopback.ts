/** Whether a URL points to this machine. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
