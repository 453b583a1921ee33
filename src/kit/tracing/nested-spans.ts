import { AsyncLocalStorage } from 'node:async_hooks'
import { noTracing, type Tracing } from './tracing.ts'

/** Spans without a parent of their own are parts of the one that is under way, however deep below it they are made. */
export function nestedSpans(tracing: Tracing): Tracing {
  if (tracing === noTracing) return tracing
  const underWay = new AsyncLocalStorage<string | undefined>()
  return {
    ...tracing,
    span: (name, { parent = underWay.getStore(), ...options }, work) =>
      tracing.span(name, { ...options, parent }, (span) => underWay.run(span.traceparent, () => work(span))),
  }
}
