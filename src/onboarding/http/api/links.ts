import { within } from '../../../kit/process/background-work.ts'
import type { Flows } from '../../flows/flows.ts'
import { ConnectionAnswer, LinkAnswer, pageOf } from './answer-schemas.ts'
import { connectionAnswer, linkAnswer, pageAnswer } from './answers.ts'
import { route } from './route.ts'
import { ConnectionListQuery, Id, LinkListQuery, MaybeReasonBody } from './schemas.ts'

export type LinkApi = {
  flows: Pick<Flows, 'readLink' | 'listLinks' | 'resumeLink' | 'readConnection' | 'listConnections'>
  publicUrl: string
}

/** Whoever resumes a link waits this long to see how it goes on. */
const inlineMs = 8_000

export const linkRoutes = ({ flows, publicUrl }: LinkApi) => [
  route({
    method: 'get',
    path: '/links',
    name: 'listLinks',
    summary: 'List links, newest first',
    tag: 'Links',
    query: LinkListQuery,
    answers: { 200: pageOf(LinkAnswer) },
    handle: async ({ caller, query: { tenant, state, cause, cursor, limit } }) => {
      const page = await flows.listLinks({ caller, tenant, state, cause, cursor, limit })
      return { status: 200, body: pageAnswer(page, (link) => linkAnswer(link, publicUrl)) }
    },
  }),
  route({
    method: 'get',
    path: '/links/{id}',
    name: 'readLink',
    summary: 'Read how a link is getting on',
    tag: 'Links',
    params: { id: Id },
    answers: { 200: LinkAnswer },
    handle: async ({ caller, params: { id } }) => {
      return { status: 200, body: linkAnswer(await flows.readLink({ caller, id }), publicUrl) }
    },
  }),
  route({
    method: 'post',
    path: '/links/{id}/resume',
    name: 'resumeLink',
    summary: 'Let a link go on from the step it stopped at, or try it now instead of at its next try',
    tag: 'Links',
    params: { id: Id },
    body: MaybeReasonBody,
    answers: { 200: LinkAnswer },
    refuses: ['link_not_resumable', 'integration_unavailable'],
    handle: async ({ caller, actor, params: { id }, body: { reason } }) => {
      const { link, done } = await flows.resumeLink({ caller, actor, id, reason })
      return { status: 200, body: linkAnswer((await within(done, inlineMs)) ?? link, publicUrl) }
    },
  }),
  route({
    method: 'get',
    path: '/connections',
    name: 'listConnections',
    summary: 'List connections, newest first',
    tag: 'Connections',
    query: ConnectionListQuery,
    answers: { 200: pageOf(ConnectionAnswer) },
    handle: async ({ caller, query: { tenant, integration, status, cause, endUserId, cursor, limit } }) => {
      const filter = { tenant, integration, status, cause, endUserId }
      const page = await flows.listConnections({ caller, ...filter, cursor, limit })
      return { status: 200, body: pageAnswer(page, connectionAnswer) }
    },
  }),
  route({
    method: 'get',
    path: '/connections/{id}',
    name: 'readConnection',
    summary: 'Read a connection',
    tag: 'Connections',
    params: { id: Id },
    answers: { 200: ConnectionAnswer },
    handle: async ({ caller, params: { id } }) => {
      return { status: 200, body: connectionAnswer(await flows.readConnection({ caller, id })) }
    },
  }),
]
