// Where an operator finds the rest of what is known of a link: its page, its log lines and its trace.

import type { Link } from '../link.ts'
import { isErasedUser } from '../offboarding/erasure.ts'

/** Addresses of the operator's own viewers, with a placeholder in each. Undefined if there is none. */
export type ViewerUrls = {
  /** With `{trace}`. */
  trace: string | undefined
  /** With `{link}`. */
  logs: string | undefined
}

export type LinkPlaces = {
  page: string
  logs: { query: string; url: string | undefined }
  /** Nobody recorded one that is not sampled. */
  trace: { id: string; isSampled: boolean; url: string | undefined } | undefined
  /** Said to whoever looks for one: an empty place looks like a fault. */
  whyNoTrace: string | undefined
}

type PlacedLink = Pick<Link, 'id' | 'traceparent' | 'importId' | 'endUser'>

export function linkPlaces(link: PlacedLink, viewers: ViewerUrls, publicUrl: string): LinkPlaces {
  const { id, traceparent } = link
  const trace = traceOf(traceparent, viewers.trace)
  return {
    page: `${publicUrl}/support/links/${id}`,
    // As it stands in each of its lines, so that any tool that searches texts finds them.
    logs: { query: `"link":"${id}"`, url: viewers.logs?.replaceAll('{link}', encodeURIComponent(id)) },
    trace,
    whyNoTrace: trace ? undefined : reasonForNone(link),
  }
}

function reasonForNone({ importId, endUser }: PlacedLink): string {
  if (importId !== undefined) return 'Imports are not traced.'
  if (isErasedUser(endUser.id)) return 'It was erased with its user.'
  return 'Traces were off when this link began. OTEL_EXPORTER_OTLP_ENDPOINT turns them on.'
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/

function traceOf(traceparent: string | undefined, template: string | undefined): LinkPlaces['trace'] {
  const [, id, flags = '00'] = traceparentForm.exec(traceparent ?? '') ?? []
  if (id === undefined) return undefined
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { id, isSampled, url: isSampled ? template?.replaceAll('{trace}', id) : undefined }
}
