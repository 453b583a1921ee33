// Spans are created by hand, with names and attributes from closed lists: automatic instrumentation would record URLs
// and SQL, and with them codes and tokens.
import { AsyncLocalStorage } from 'node:async_hooks'

type SpanName =
  | 'http.request'
  | 'link'
  | 'link.provision'
  | 'link.move'
  | 'link.exchange'
  | 'call.provider'
  | 'call.platform'
  | 'call.third_party'

/** IDs, names from closed lists, and figures only. */
export type SpanAttributes = Partial<
  Record<
    | 'http.request.method'
    | 'http.route'
    | 'request.id'
    | 'link.id'
    | 'tenant.id'
    | 'connection.id'
    | 'integration.id'
    | 'state.from'
    | 'state.to'
    | 'cause'
    | 'call'
    | 'error.type',
    string | undefined
  > &
    Record<'http.response.status_code', number | undefined>
>

export type SpanOptions = {
  attributes?: SpanAttributes
  /** A `traceparent` (W3C Trace Context). Default: a new trace. */
  parent?: string | undefined
  kind?: 'internal' | 'server' | 'client'
}

export type Tracing = {
  /** Runs the work in a span. An error marks the span by its kind only. */
  span<T>(name: SpanName, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** Starts a trace that is continued later, and returns its `traceparent`. */
  begin(name: SpanName, attributes: SpanAttributes): string | undefined
  close(): Promise<void>
}

export type OpenSpan = {
  /** If false, `set` is a no-op. */
  readonly isRecording: boolean
  set(attributes: SpanAttributes): void
  /** The `parent` of child spans. */
  readonly traceparent?: string | undefined
}

export type TracingSettings = {
  /** Without `/v1/traces`. */
  endpoint: string | undefined
  headers: Readonly<Record<string, string>>
  /** The share of traces to record, from 0 to 1. */
  ratio: number
}

export const unrecordedSpan: OpenSpan = { isRecording: false, set() {} }

export const noTracing: Tracing = {
  span: (_name, _options, work) => work(unrecordedSpan),
  begin: () => undefined,
  close: async () => {},
}

/** Makes the current span the default parent. */
export function nestedSpans(tracing: Tracing): Tracing {
  if (tracing === noTracing) return tracing
  const underWay = new AsyncLocalStorage<string | undefined>()
  return {
    ...tracing,
    span: (name, { parent = underWay.getStore(), ...options }, work) =>
      tracing.span(name, { ...options, parent }, (span) => underWay.run(span.traceparent, () => work(span))),
  }
}

export const traceIdOf = (traceparent: string | undefined): string | undefined => traceparent?.slice(3, 35)
