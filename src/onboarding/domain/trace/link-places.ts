// Where an operator finds the rest of what is known of a link: its page, its log lines and its trace.
import type { Link } from '../link.ts'

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
  /** Undefined if traces were off when the link began. Nobody recorded one that is not sampled. */
  trace: { id: string; isSampled: boolean; url: string | undefined } | undefined
}

export const linkPlaces = (
  { id, traceparent }: Pick<Link, 'id' | 'traceparent'>,
  viewers: ViewerUrls,
  publicUrl: string,
): LinkPlaces => ({
  page: `${publicUrl}/support/links/${id}`,
  // As it stands in each of its lines, so that any tool that searches texts finds them.
  logs: { query: `"link":"${id}"`, url: viewers.logs?.replaceAll('{link}', encodeURIComponent(id)) },
  trace: traceOf(traceparent, viewers.trace),
})

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/

function traceOf(traceparent: string | undefined, template: string | undefined): LinkPlaces['trace'] {
  const [, id, flags = '00'] = traceparentForm.exec(traceparent ?? '') ?? []
  if (id === undefined) return undefined
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { id, isSampled, url: isSampled ? template?.replaceAll('{trace}', id) : undefined }
}
