import { createRequire } from 'node:module'
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import { readVersion } from '../process/build-info.ts'
import { describeError } from '../process/log.ts'
import type { OpenSpan, SpanOptions, Tracing, TracingSettings } from './tracing.ts'

type Settings = TracingSettings & { endpoint: string }

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
} as const satisfies Record<NonNullable<SpanOptions['kind']>, SpanKind>

/**
 * Nothing is registered for the whole process, and nothing follows what is under way: until Node 24, that costs every
 * promise something, of traces that are not recorded as well (https://github.com/nodejs/node/pull/55552).
 */
export function openTelemetry(service: string, settings: Settings, exporter = otlpExporter(settings)): Tracing {
  const provider = createProvider(service, settings.ratio, exporter)
  const tracer = provider.getTracer(service)
  return {
    span(name, { attributes = {}, parent, kind = 'internal' }, work) {
      const outer = remote(parent)
      // Most traces are not recorded. Their parts are then nothing but the beginning, passed on.
      if (outer && isLeftOut(outer)) return work({ set() {}, traceparent: parent })
      const span = tracer.startSpan(name, { attributes, kind: kinds[kind] }, outer ?? ROOT_CONTEXT)
      return span.isRecording()
        ? inSpan(span, work)
        : work({ set() {}, traceparent: traceparentOf(span.spanContext()) })
    },
    begin(name, attributes) {
      const span = tracer.startSpan(name, { attributes, root: true }, ROOT_CONTEXT)
      span.end()
      return traceparentOf(span.spanContext())
    },
    close: () => provider.shutdown(),
  }
}

/** Whether it is part of a trace whose beginning was not recorded. */
function isLeftOut(context: Context): boolean {
  const within = trace.getSpanContext(context)
  return within !== undefined && (within.traceFlags & TraceFlags.SAMPLED) === 0
}

/** What the error says is not told: only its kind, or our own cause where it has one. */
async function inSpan<T>(span: Span, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  try {
    return await work({
      set: (attributes) => void span.setAttributes(attributes),
      traceparent: traceparentOf(span.spanContext()),
    })
  } catch (error) {
    const { cause } = (error ?? {}) as { cause?: unknown }
    span.setAttribute('error.type', typeof cause === 'string' ? cause : describeError(error))
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const traceparentOf = (of: SpanContext): string =>
  `00-${of.traceId}-${of.spanId}-${of.traceFlags.toString(16).padStart(2, '0')}`

const traceparentForm = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** Returns undefined for what is not a `traceparent`. */
function remote(parent: string | undefined): Context | undefined {
  const [, traceId = '', spanId = '', flags = ''] = traceparentForm.exec(parent ?? '') ?? []
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(spanContext) ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : undefined
}

/** Loaded only where it is used: it takes longer than the rest of a start. */
const load = createRequire(import.meta.url)

function createProvider(service: string, ratio: number, exporter: SpanExporter) {
  const sdk: typeof import('@opentelemetry/sdk-trace-base') = load('@opentelemetry/sdk-trace-base')
  const resources: typeof import('@opentelemetry/resources') = load('@opentelemetry/resources')
  return new sdk.BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': service, 'service.version': readVersion() }),
    // Whoever began a trace has decided: a link is recorded from its beginning to its end, or not at all.
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  })
}

function otlpExporter({ endpoint, headers }: Settings): SpanExporter {
  const otlp: typeof import('@opentelemetry/exporter-trace-otlp-http') = load('@opentelemetry/exporter-trace-otlp-http')
  return new otlp.OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers: { ...headers } })
}
