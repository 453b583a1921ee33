{{/* What every template shares. Each takes (dict "root" $ "name" "onboarding"). */}}

{{- define "causeway.fullname" -}}
{{- printf "%s-%s" .root.Release.Name .name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "causeway.selector" -}}
app.kubernetes.io/name: causeway
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "causeway.labels" -}}
{{ include "causeway.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "causeway.image" -}}
{{- $image := .root.Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "causeway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "causeway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{/* A changed Secret or ConfigMap replaces the pods. `lookup` finds nothing where Helm only renders. */}}
{{- define "causeway.checksum" -}}
{{- $values := index .root.Values .name -}}
{{- $found := list -}}
{{- range $secret := compact (list $values.existingSecret .root.Values.integrationsSecret .root.Values.settingsSecret) -}}
{{- $found = append $found (get (lookup "v1" "Secret" $.root.Release.Namespace $secret) "data") -}}
{{- end -}}
{{- with .root.Values.caConfigMap -}}
{{- $found = append $found (get (lookup "v1" "ConfigMap" $.root.Release.Namespace .) "data") -}}
{{- end -}}
{{- toJson $found | sha256sum -}}
{{- end -}}

{{- define "causeway.envFrom" -}}
{{- $values := index .root.Values .name -}}
{{- if or $values.existingSecret (not $values.env.DATABASE_URL_FILE) -}}
- secretRef: { name: {{ required (printf "%s.existingSecret is needed" .name) $values.existingSecret }} }
{{- end -}}
{{- end -}}

{{- define "causeway.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .root.Values.integrationsSecret }}
- { name: integrations, mountPath: /etc/causeway/integrations, readOnly: true }
{{- end }}
{{- if .root.Values.caConfigMap }}
- { name: ca, mountPath: /etc/causeway/ca, readOnly: true }
{{- end }}
{{- with .root.Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "causeway.volumes" -}}
- name: tmp
  emptyDir: {}
{{- if .root.Values.integrationsSecret }}
- name: integrations
  secret: { secretName: {{ .root.Values.integrationsSecret }} }
{{- end }}
{{- if .root.Values.caConfigMap }}
- name: ca
  configMap: { name: {{ .root.Values.caConfigMap }} }
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Variables that the chart decides, then those of the values. */}}
{{- define "causeway.env" -}}
{{- $values := index .root.Values .name -}}
- { name: PUBLIC_URL, value: {{ required (printf "%s.publicUrl is needed" .name) $values.publicUrl | quote }} }
- { name: TRUST_PROXY, value: {{ .root.Values.trustProxy | quote }} }
{{- if .root.Values.metrics.enabled }}
- { name: METRICS_PORT, value: {{ .root.Values.metrics.port | quote }} }
{{- end }}
{{- if .root.Values.integrationsSecret }}
- { name: INTEGRATIONS_FILE, value: /etc/causeway/integrations/integrations.json }
{{- end }}
{{- with .root.Values.settingsSecret }}
- name: SETTINGS_KEY
  valueFrom: { secretKeyRef: { name: {{ . }}, key: SETTINGS_KEY } }
{{- end }}
{{- if .root.Values.caConfigMap }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/causeway/ca/ca.pem }
{{- end }}
{{- range $name, $value := $values.env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}

{{- define "causeway.ports" -}}
- { name: http, containerPort: 3000 }
{{- if .root.Values.metrics.enabled }}
- { name: metrics, containerPort: {{ .root.Values.metrics.port }} }
{{- end }}
{{- end -}}

{{/* Started: the database is there and migrated. Ready: it can serve. Alive: restarting would help if not. */}}
{{- define "causeway.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 2
  failureThreshold: 60
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 5
  timeoutSeconds: 3
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 6
{{- end -}}

{{- define "causeway.platformUrl" -}}
{{- if .root.Values.platform.enabled -}}
http://{{ include "causeway.fullname" (dict "root" .root "name" "platform") }}/v0
{{- else -}}
{{ required "platformUrl is needed, or platform.enabled" .root.Values.platformUrl }}
{{- end -}}
{{- end -}}

{{/* The programs of this chart that run. */}}
{{- define "causeway.programs" -}}
{{- .Values.platform.enabled | ternary "onboarding platform" "onboarding" -}}
{{- end -}}
