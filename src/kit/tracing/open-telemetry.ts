import { createRequire } from 'node:module'
import {
  INVALID_SPANID,
  INVALID_TRACEID,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import { readVersion } from '../installed/installed-root.ts'
import { describeError } from '../process/log.ts'
import {
  noTracing,
  type OpenSpan,
  type SpanOptions,
  type Tracing,
  type TracingSettings,
  unrecordedSpan,
} from './tracing.ts'

export const openTracing = (service: string, { endpoint, ...settings }: TracingSettings): Tracing =>
  endpoint === undefined ? noTracing : openTelemetry(service, { endpoint, ...settings })

type Settings = TracingSettings & { endpoint: string }

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
} as const satisfies Record<NonNullable<SpanOptions['kind']>, SpanKind>

/** Tracks no context: until Node 24 that slows down every promise (https://github.com/nodejs/node/pull/55552). */
export function openTelemetry(service: string, settings: Settings, exporter = otlpExporter(settings)): Tracing {
  const { tracer, ids, close } = createTracer(service, exporter)
  const isChosen = () => Math.random() < settings.ratio
  const unrecorded = () => `00-${ids.generateTraceId()}-${ids.generateSpanId()}-00`
  return {
    span(name, { attributes = {}, parent, kind = 'internal' }, work) {
      const outer = readTraceparent(parent)
      // The start of a trace decides, so a link is recorded completely or not at all.
      const isRecorded = outer ? outer.traceFlags === TraceFlags.SAMPLED : isChosen()
      if (!isRecorded) return work({ ...unrecordedSpan, traceparent: outer ? parent : unrecorded() })
      const context = outer ? trace.setSpanContext(ROOT_CONTEXT, outer) : ROOT_CONTEXT
      return inSpan(tracer.startSpan(name, { attributes, kind: kinds[kind] }, context), work)
    },
    begin(name, attributes) {
      if (!isChosen()) return unrecorded()
      const span = tracer.startSpan(name, { attributes, root: true }, ROOT_CONTEXT)
      span.end()
      return traceparentOf(span.spanContext())
    },
    close,
  }
}

/** Reports our cause or the kind of the error, never its message. */
async function inSpan<T>(span: Span, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  try {
    return await work({
      isRecording: true,
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

function readTraceparent(text: string | undefined): SpanContext | undefined {
  if (text === undefined) return undefined
  const [, traceId = '', spanId = '', flags = ''] = traceparentForm.exec(text) ?? []
  if (flags === '' || traceId === INVALID_TRACEID || spanId === INVALID_SPANID) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true }
}

/** Loaded on demand: it takes longer than the rest of the start. */
const load = createRequire(import.meta.url)

function createTracer(service: string, exporter: SpanExporter) {
  const sdk: typeof import('@opentelemetry/sdk-trace-base') = load('@opentelemetry/sdk-trace-base')
  const resources: typeof import('@opentelemetry/resources') = load('@opentelemetry/resources')
  const ids = new sdk.RandomIdGenerator()
  const provider = new sdk.BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': service, 'service.version': readVersion() }),
    sampler: new sdk.AlwaysOnSampler(),
    idGenerator: ids,
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  })
  return { tracer: provider.getTracer(service), ids, close: () => provider.shutdown() }
}

function otlpExporter({ endpoint, headers }: Settings): SpanExporter {
  const otlp: typeof import('@opentelemetry/exporter-trace-otlp-http') = load('@opentelemetry/exporter-trace-otlp-http')
  return new otlp.OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers: { ...headers } })
}
