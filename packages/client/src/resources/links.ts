import { LinkError } from '../errors.ts'
import { List, type ListQuery } from '../lists.ts'
import type { CallOptions, Send } from '../transport.ts'
import type { Body, Link } from '../types.ts'
import { type WaitOptions, waitFor } from '../waiting.ts'

/** Attempts to link an account. */
export const links = (send: Send) => ({
  list: (query?: ListQuery<'listLinks'>, options?: CallOptions) => new List(send, 'listLinks', { query }, options),

  get: (linkId: string, options?: CallOptions) => send('getLink', { params: { linkId } }, options),

  /** Waits while it is `pending`. Throws LinkError if it did not end `linked`, with the cause and whose move it is. */
  wait: async (linkId: string, options: WaitOptions = {}): Promise<LinkedLink> => {
    const read = () => send('getLink', { params: { linkId } }, options)
    return assertLinked(await waitFor(read, ({ status }) => status !== 'pending', options))
  },

  /** Continues a link that needs attention, once its cause was fixed. */
  resume: (linkId: string, body: Body<'resumeLink'> = {}, options?: CallOptions) =>
    send('resumeLink', { params: { linkId }, body }, options),

  /** Continues every link that needs attention for a cause. Only for keys of the deployment. */
  resumeByCause: (body: Body<'createLinkResumption'>, options?: CallOptions) =>
    send('createLinkResumption', { body }, options),
})

export type LinkedLink = Link & Required<Pick<Link, 'connection' | 'connectionId'>>

/** The link, if it is `linked`. Throws LinkError otherwise. */
export function assertLinked(link: Link): LinkedLink {
  if (link.status !== 'linked' || !link.connection || !link.connectionId) throw new LinkError(link)
  return { ...link, connection: link.connection, connectionId: link.connectionId }
}
