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

{{/* Migrates as the owner before the program starts, in every pod: one does it and the others wait. */}}
{{- define "causeway.migration" -}}
{{- $values := index .root.Values .name -}}
{{- if $values.ownerSecret }}
initContainers:
  - name: migrate
    image: {{ include "causeway.image" . }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    args: [{{ eq .name "onboarding" | ternary "causeway" "platform" }}, migrate]
    envFrom:
      - secretRef: { name: {{ $values.ownerSecret }} }
    {{- if .root.Values.caConfigMap }}
    env:
      - { name: NODE_EXTRA_CA_CERTS, value: /etc/causeway/ca/ca.pem }
    {{- end }}
    securityContext:
      {{- include "causeway.containerSecurity" . | nindent 6 }}
    volumeMounts:
      {{- include "causeway.mounts" . | nindent 6 }}
{{- end }}
{{- end -}}

{{- define "causeway.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .root.Values.integrationsSecret }}
- { name: integrations, mountPath: /etc/causeway/integrations, readOnly: true }
{{- end }}
{{- if .root.Values.caConfigMap }}
- { name: ca, mountPath: /etc/causeway/ca, readOnly: true }
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
