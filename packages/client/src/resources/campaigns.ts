import { List, type ListQuery } from '../lists.ts'
import type { CallOptions, Send } from '../transport.ts'
import type { Body } from '../types.ts'

/** Re-link sessions for many connections at once. */
export const campaigns = (send: Send) => ({
  /** The answer has a URL for each user: they are secrets, shown only once. */
  create: (body: Body<'createCampaign'>, options?: CallOptions) => send('createCampaign', { body }, options),

  list: (query?: ListQuery<'listCampaigns'>, options?: CallOptions) =>
    new List(send, 'listCampaigns', { query }, options),

  get: (campaignId: string, options?: CallOptions) => send('getCampaign', { params: { campaignId } }, options),

  /** Its connections, and what became of each. */
  listMembers: (campaignId: string, query?: ListQuery<'listCampaignMembers'>, options?: CallOptions) =>
    new List(send, 'listCampaignMembers', { params: { campaignId }, query }, options),

  cancel: (campaignId: string, body: Body<'cancelCampaign'>, options?: CallOptions) =>
    send('cancelCampaign', { params: { campaignId }, body }, options),
})
