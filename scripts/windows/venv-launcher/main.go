//go:build windows

// venvlauncher.exe for a CPython that lacks it: becomes the python.exe of an environment, and runs the one that
// pyvenv.cfg names with the same arguments, streams and inherited descriptors. That process ends with this one.
package main

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"
)

const (
	extendedLimits  = 9
	killOnClose     = 0x2000
	silentBreakaway = 0x1000
	sizeOfLimits    = 144
	offsetOfFlags   = 16
	inherited       = 1
	cannotStart     = 106
)

var kernel = syscall.NewLazyDLL("kernel32.dll")

func main() {
	self, err := os.Executable()
	check(err)
	home, err := homeOf(filepath.Dir(self))
	check(err)
	program := filepath.Join(home, "python.exe")
	os.Setenv("__PYVENV_LAUNCHER__", self)

	var start syscall.StartupInfo
	var process syscall.ProcessInformation
	// Includes what C libraries pass on as file descriptors.
	check(syscall.GetStartupInfo(&start))
	start.Flags |= syscall.STARTF_USESTDHANDLES
	for which, to := range map[int]*syscall.Handle{
		syscall.STD_INPUT_HANDLE: &start.StdInput, syscall.STD_OUTPUT_HANDLE: &start.StdOutput, syscall.STD_ERROR_HANDLE: &start.StdErr,
	} {
		handle, _ := syscall.GetStdHandle(which)
		syscall.SetHandleInformation(handle, syscall.HANDLE_FLAG_INHERIT, inherited)
		*to = handle
	}
	application, err := syscall.UTF16PtrFromString(program)
	check(err)
	line, err := syscall.UTF16PtrFromString(`"` + program + `"` + arguments())
	check(err)
	job, _, _ := kernel.NewProc("CreateJobObjectW").Call(0, 0)
	var limits [sizeOfLimits]byte
	binary.LittleEndian.PutUint32(limits[offsetOfFlags:], killOnClose|silentBreakaway)
	kernel.NewProc("SetInformationJobObject").Call(job, extendedLimits, uintptr(unsafe.Pointer(&limits)), sizeOfLimits)
	check(syscall.CreateProcess(application, line, nil, nil, true, 0, nil, nil, &start, &process))
	kernel.NewProc("AssignProcessToJobObject").Call(job, uintptr(process.Process))
	syscall.WaitForSingleObject(process.Process, syscall.INFINITE)
	var code uint32
	check(syscall.GetExitCodeProcess(process.Process, &code))
	os.Exit(int(code))
}

// The folder of the interpreter that an environment was made with.
func homeOf(scripts string) (string, error) {
	text, err := os.ReadFile(filepath.Join(scripts, "pyvenv.cfg"))
	if err != nil {
		text, err = os.ReadFile(filepath.Join(filepath.Dir(scripts), "pyvenv.cfg"))
	}
	for _, line := range strings.Split(string(text), "\n") {
		if name, value, found := strings.Cut(line, "="); found && strings.TrimSpace(name) == "home" {
			return strings.TrimSpace(value), nil
		}
	}
	return "", errors.Join(errors.New("pyvenv.cfg names no home"), err)
}

// The command line after the program, as it was written.
func arguments() string {
	line := syscall.UTF16ToString((*[1 << 15]uint16)(unsafe.Pointer(syscall.GetCommandLine()))[:])
	end := strings.IndexAny(line, " \t")
	if strings.HasPrefix(line, `"`) {
		end = strings.Index(line[1:], `"`) + 2
	}
	if end < 0 {
		return ""
	}
	return line[end:]
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString("python: " + err.Error() + "\n")
		os.Exit(cannotStart)
	}
}
