import { z } from 'zod'
import type { TracingSettings } from './tracing.ts'

/** `name=value,name=value` with percent-encoded values, as in the OpenTelemetry specification. */
export const otlpHeaders = () =>
  z.string().transform((text, context): Record<string, string> => {
    try {
      return Object.fromEntries(text.split(',').map(headerIn))
    } catch {
      context.addIssue('must be a list of name=value, with values encoded as in a URL')
      return z.NEVER
    }
  })

function headerIn(pair: string): [name: string, value: string] {
  const [name = '', ...value] = pair.trim().split('=')
  if (!/^[\w-]+$/.test(name) || value.length === 0) throw new URIError('not a header')
  return [name.toLowerCase(), decodeURIComponent(value.join('='))]
}

export const samplingRatio = () => z.coerce.number('must be a number from 0 to 1').min(0).max(1)

type TracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  OTEL_EXPORTER_OTLP_HEADERS: Record<string, string>
  OTEL_TRACES_SAMPLER_ARG: number
}

export const tracingSettings = (given: TracingVariables): TracingSettings => ({
  endpoint: given.OTEL_EXPORTER_OTLP_ENDPOINT,
  headers: given.OTEL_EXPORTER_OTLP_HEADERS,
  ratio: given.OTEL_TRACES_SAMPLER_ARG,
})
