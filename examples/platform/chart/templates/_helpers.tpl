{{- define "harbor.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "harbor.selector" -}}
app.kubernetes.io/name: agent-harbor
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "harbor.labels" -}}
{{ include "harbor.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* The servers by name, with what all of them have. A platform without one of the roles would only take requests in. */}}
{{- define "harbor.servers" -}}
{{- $servers := dict -}}
{{- $roles := list -}}
{{- range $name, $own := .Values.servers -}}
{{- $server := mergeOverwrite (deepCopy $.Values.serverDefaults) ($own | default dict) -}}
{{- $roles = concat $roles $server.roles -}}
{{- $_ := set $servers $name $server -}}
{{- end -}}
{{- if not $servers -}}
{{- fail "There are no servers. Pass --values values-small.yaml or values-company.yaml, or values of your own." -}}
{{- end -}}
{{- range $role := list "api" "runs" "builds" "traces" -}}
{{- if not (has $role $roles) -}}
{{- fail (printf "No servers have the role %s. Add it to the roles of some of them." $role) -}}
{{- end -}}
{{- end -}}
{{- toYaml $servers -}}
{{- end }}

{{/* The secrets: the variable of each, and its key in the Secret. */}}
{{- define "harbor.secrets" -}}
AGENT_HARBOR_API_KEY: api-key
{{- with (.Values.changing).previousApiKey }}
AGENT_HARBOR_PREVIOUS_API_KEY: {{ . }}
{{- end }}
AGENT_HARBOR_DATABASE: database
{{- with .Values.replicaKey }}
AGENT_HARBOR_DATABASE_REPLICA: {{ . }}
{{- end }}
AGENT_HARBOR_SECRETS_KEY: secrets-key
{{- with (.Values.changing).newSecretsKey }}
AGENT_HARBOR_NEW_SECRETS_KEY: {{ . }}
{{- end }}
AWS_ACCESS_KEY_ID: aws-access-key-id
AWS_SECRET_ACCESS_KEY: aws-secret-access-key
{{- end }}

{{- define "harbor.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag }}{{ end }}
{{- end -}}
{{- end }}
