import { LinkError } from '../errors.ts'
import { List, type ListQuery } from '../lists.ts'
import type { CallOptions, Send } from '../transport.ts'
import type { Body, Link, LinkedLink, LinkOutcome } from '../types.ts'
import { type WaitOptions, waitFor } from '../waiting.ts'

/** Attempts to link an account. */
export const links = (send: Send) => ({
  list: (query?: ListQuery<'listLinks'>, options?: CallOptions) => new List(send, 'listLinks', { query }, options),

  get: (linkId: string, options?: CallOptions) =>
    send('getLink', { params: { linkId } }, options) as Promise<LinkOutcome>,

  /** Waits while it is `pending`. Throws LinkError if it did not end `linked`, with the cause and whose move it is. */
  wait: async (linkId: string, options: WaitOptions = {}): Promise<LinkedLink> => {
    const read = () => send('getLink', { params: { linkId } }, { signal: options.signal })
    const link = await waitFor(read, ({ status }) => status !== 'pending', options)
    assertLinked(link)
    return link
  },

  /** Continues a link that needs attention, once its cause was fixed. */
  resume: (linkId: string, body: Body<'resumeLink'> = {}, options?: CallOptions) =>
    send('resumeLink', { params: { linkId }, body }, options),

  /** Continues every link that needs attention for a cause. Only for keys of the deployment. */
  resumeByCause: (body: Body<'createLinkResumption'>, options?: CallOptions) =>
    send('createLinkResumption', { body }, options),
})

/** Throws LinkError unless the link is `linked`, with its cause and whose move it is. */
export function assertLinked(link: Link): asserts link is LinkedLink {
  if (link.status !== 'linked' || !link.connection || !link.connectionId) throw new LinkError(link)
}
