// Traces by OpenTelemetry, if an endpoint for them is named. Spans are made by hand and have names and attributes from
// closed lists: automatic instrumentation would put URLs and SQL, and with them codes and tokens, into spans.

export const spanNames = [
  'http.request',
  'link',
  'link.provision',
  'link.move',
  'link.exchange',
  'call.provider',
  'call.platform',
  'call.third_party',
] as const
export type SpanName = (typeof spanNames)[number]

/** Ids, names from closed lists, and figures. There is no attribute for anything else. */
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
  /** The `traceparent` (W3C Trace Context) of what it is a part of. Without one it begins a trace. */
  parent?: string | undefined
  kind?: 'internal' | 'server' | 'client'
}

export type Tracing = {
  /** Does the work in a span of its own, which an error marks by its kind alone. */
  span<T>(name: SpanName, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** The beginning of a trace that is continued later, anywhere: its `traceparent`. */
  begin(name: SpanName, attributes: SpanAttributes): string | undefined
  close(): Promise<void>
}

export type OpenSpan = {
  /** If not, nothing that is set is read by anybody. */
  readonly isRecording: boolean
  set(attributes: SpanAttributes): void
  /** What its parts, here or elsewhere, name as their parent. */
  readonly traceparent?: string | undefined
}

export type TracingSettings = {
  /** Where spans are sent to, without its `/v1/traces`. */
  endpoint: string | undefined
  headers: Readonly<Record<string, string>>
  /** The share of traces that are recorded, from 0 to 1. */
  ratio: number
}

export const unrecordedSpan: OpenSpan = { isRecording: false, set() {} }

/** Nothing is made, asked or kept. */
export const noTracing: Tracing = {
  span: (_name, _options, work) => work(unrecordedSpan),
  begin: () => undefined,
  close: async () => {},
}

/** The trace id in a `traceparent`. */
export const traceIdOf = (traceparent: string | undefined): string | undefined => traceparent?.slice(3, 35)
