import type { Link } from '../link.ts'
import { isErasedUser } from '../offboarding/erasure.ts'

export type ViewerUrls = {
  trace: string | undefined
  logs: string | undefined
}

export type LinkPlaces = {
  page: string
  logs: { query: string; url: string | undefined }
  /** Unsampled traces are not recorded. */
  trace: { id: string; isSampled: boolean; url: string | undefined } | undefined
  whyNoTrace: string | undefined
}

type PlacedLink = Pick<Link, 'id' | 'traceparent' | 'importId' | 'endUser'>

export function linkPlaces(link: PlacedLink, viewers: ViewerUrls, publicUrl: string): LinkPlaces {
  const { id, traceparent } = link
  const trace = traceOf(traceparent, viewers.trace)
  return {
    page: `${publicUrl}/support/links/${id}`,
    logs: { query: `"link":"${id}"`, url: viewers.logs?.replaceAll('{link}', encodeURIComponent(id)) },
    trace,
    whyNoTrace: trace ? undefined : reasonForNone(link),
  }
}

function reasonForNone({ importId, endUser }: PlacedLink): string {
  if (importId !== undefined) return 'Imports are not traced.'
  if (isErasedUser(endUser.id)) return 'It was erased with its user.'
  return 'Traces were off when this link began. The operator can turn them on.'
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/

function traceOf(traceparent: string | undefined, template: string | undefined): LinkPlaces['trace'] {
  const [, id, flags = '00'] = traceparentForm.exec(traceparent ?? '') ?? []
  if (id === undefined) return undefined
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { id, isSampled, url: isSampled ? template?.replaceAll('{trace}', id) : undefined }
}
