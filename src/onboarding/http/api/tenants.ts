import { Router } from 'express'
import { Secret } from '../../../kit/secret.ts'
import type { Flows } from '../../flows/flows.ts'
import { apiActor, callerOf } from '../guards.ts'
import { integrationAnswer, pageAnswer, tenantAnswer } from './answers.ts'
import { OwnClientBody, PageQuery, TenantBody, TenantId } from './schemas.ts'

type Needs = Pick<
  Flows,
  'putTenant' | 'readTenant' | 'listTenants' | 'putOwnClient' | 'deleteOwnClient' | 'listIntegrations'
>

export const tenantApi = (flows: Needs) =>
  Router()
    .get('/tenants', async (req, res) => {
      const page = await flows.listTenants({ caller: callerOf(res), cursor: undefined, ...PageQuery.parse(req.query) })
      res.json(pageAnswer(page, tenantAnswer))
    })
    .get('/tenants/:id', async (req, res) => {
      res.json(tenantAnswer(await flows.readTenant({ caller: callerOf(res), id: req.params.id })))
    })
    .put('/tenants/:id', async (req, res) => {
      const tenant = { id: TenantId.parse(req.params.id), ...TenantBody.parse(req.body) }
      const put = await flows.putTenant({ caller: callerOf(res), actor: apiActor(req, res), tenant })
      const signingSecret = put.signingSecret?.reveal()
      res.status(put.created ? 201 : 200).json({ ...tenantAnswer(put.tenant), ...(signingSecret && { signingSecret }) })
    })
    .put('/tenants/:id/oauth-clients/:integration', async (req, res) => {
      const { clientId, clientSecret } = OwnClientBody.parse(req.body)
      await flows.putOwnClient({
        caller: callerOf(res),
        actor: apiActor(req, res),
        tenant: req.params.id,
        integration: req.params.integration,
        client: { id: clientId, secret: clientSecret === undefined ? undefined : new Secret(clientSecret) },
      })
      res.json({ integration: req.params.integration, clientId })
    })
    .delete('/tenants/:id/oauth-clients/:integration', async (req, res) => {
      const { id: tenant, integration } = req.params
      await flows.deleteOwnClient({ caller: callerOf(res), actor: apiActor(req, res), tenant, integration })
      res.status(204).end()
    })
    .get('/integrations', async (_req, res) => {
      const offered = await flows.listIntegrations({ caller: callerOf(res) })
      res.json({ data: offered.map(integrationAnswer) })
    })
