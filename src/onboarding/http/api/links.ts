import { Router } from 'express'
import type { Flows } from '../../flows/flows.ts'
import { callerOf } from '../guards.ts'
import { connectionAnswer, linkAnswer, pageAnswer } from './answers.ts'
import { ConnectionListQuery, LinkListQuery } from './schemas.ts'

export type LinkApi = {
  flows: Pick<Flows, 'readLink' | 'listLinks' | 'readConnection' | 'listConnections'>
  publicUrl: string
}

export const linkApi = ({ flows, publicUrl }: LinkApi) =>
  Router()
    .get('/links', async (req, res) => {
      const { tenant, state, cursor, limit } = LinkListQuery.parse(req.query)
      const page = await flows.listLinks({ caller: callerOf(res), tenant, state, cursor, limit })
      res.json(pageAnswer(page, (link) => linkAnswer(link, publicUrl)))
    })
    .get('/links/:id', async (req, res) => {
      res.json(linkAnswer(await flows.readLink({ caller: callerOf(res), id: req.params.id }), publicUrl))
    })
    .get('/connections', async (req, res) => {
      const { tenant, integration, status, endUserId, cursor, limit } = ConnectionListQuery.parse(req.query)
      const query = { tenant, integration, status, endUserId, cursor, limit }
      res.json(pageAnswer(await flows.listConnections({ caller: callerOf(res), ...query }), connectionAnswer))
    })
    .get('/connections/:id', async (req, res) => {
      res.json(connectionAnswer(await flows.readConnection({ caller: callerOf(res), id: req.params.id })))
    })
