import { openTelemetry } from './open-telemetry.ts'
import { noTracing, type Tracing, type TracingSettings } from './tracing.ts'

export const openTracing = (service: string, { endpoint, ...settings }: TracingSettings): Tracing =>
  endpoint === undefined ? noTracing : openTelemetry(service, { endpoint, ...settings })
