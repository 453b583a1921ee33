import { json, type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { stateOf } from '../domain/grants.ts'
import { firstClient, type Instance } from '../domain/instance.ts'
import { integrationEntry } from '../domain/integration-entry.ts'
import { changedSwitches, goodBehaviour, parseSwitches, SwitchUnknown } from '../domain/switch-table.ts'
import { accountMembers } from '../domain/token-answer.ts'
import { instanceOf } from './request.ts'

/** `forget` drops the provider; the next request to its address creates it again. */
export const controlRoutes = (forget: (segment: string) => void): Router =>
  Router()
    .get('/control', (_req, res) => void res.json(summary(instanceOf(res))))
    .get(
      '/control/integration',
      (_req, res) => void res.json({ integrations: [integrationEntry(instanceOf(res), 'misbehaving')] }),
    )
    .patch('/control/switches', json(), changeSwitches)
    .post('/control/clock', json(), moveClock)
    .put('/control/clients/:id', json(), putClient)
    .delete('/control/clients', (_req, res) => {
      instanceOf(res).clients.clear()
      res.status(204).end()
    })
    .put('/control/app-setting', json(), putAppSetting)
    .post('/control/end-grants', json(), endGrants)
    .delete('/control/requests', (_req, res) => {
      instanceOf(res).requests.length = 0
      res.status(204).end()
    })
    .delete('/control', (_req, res) => {
      forget(instanceOf(res).segment)
      res.status(204).end()
    })

const summary = (instance: Instance) => ({
  issuer: instance.url,
  switches: changedSwitches(instance.switches),
  client: instance.clients.has(firstClient.id) ? firstClient : undefined,
  now: new Date(instance.now()).toISOString(),
  // Without tokens: build logs have many readers.
  grants: instance.grants.map((grant) => ({
    id: grant.id,
    client: grant.client,
    account: accountMembers(grant.account).account_id,
    scopes: grant.scopes,
    state: stateOf(grant, instance),
    ...(grant.endedBy && { endedBy: grant.endedBy }),
    refreshes: Math.max(0, grant.accessTokens.size - 1),
  })),
  requests: instance.requests,
})

const SwitchChanges = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

/** `null` resets a switch to its default. */
const changeSwitches: RequestHandler = (req, res) => {
  const instance = instanceOf(res)
  const { data } = SwitchChanges.safeParse(req.body)
  if (!data) throw new SwitchUnknown('Send an object of switches and their values.')
  const given = Object.entries(data)
  const reset = given.filter(([, value]) => value === null).map(([name]) => name)
  const changes = parseSwitches(
    given.flatMap(([name, value]) => (value === null ? [] : [[name, String(value)] as const])),
  )
  const defaults = Object.entries(goodBehaviour()).filter(([name]) => reset.includes(name))
  Object.assign(instance.switches, Object.fromEntries(defaults), changes)
  res.json(changedSwitches(instance.switches))
}

const Clock = z.strictObject({ advanceSeconds: z.number().min(0) })

const moveClock: RequestHandler = (req, res) => {
  const { data } = Clock.safeParse(req.body)
  if (!data) return void res.status(400).json({ error: 'advanceSeconds must be a number, and at least 0' })
  instanceOf(res).advance(data.advanceSeconds)
  res.json({ now: new Date(instanceOf(res).now()).toISOString() })
}

const ClientInput = z.strictObject({ secret: z.string().optional(), redirectUris: z.array(z.string()).default([]) })

const putClient: RequestHandler<{ id: string }> = (req, res) => {
  const { data } = ClientInput.safeParse(req.body)
  if (!data) return void res.status(400).json({ error: 'send { "secret": …, "redirectUris": […] }' })
  const { clients, switches } = instanceOf(res)
  if (switches.callback_rules === 'one' && data.redirectUris.length > 1) {
    return void res.status(400).json({ error: 'one redirect URI per app' })
  }
  clients.set(req.params.id, { id: req.params.id, secret: data.secret, redirectUris: data.redirectUris })
  res.json({ id: req.params.id, redirectUris: data.redirectUris })
}

const AppSetting = z.strictObject({ refreshTokens: z.boolean() })

const putAppSetting: RequestHandler = (req, res) => {
  const { data } = AppSetting.safeParse(req.body)
  if (!data) return void res.status(400).json({ error: 'send { "refreshTokens": true }' })
  instanceOf(res).appSetting = data.refreshTokens
  res.json(data)
}

const Ending = z.strictObject({ account: z.string().optional() })

const endGrants: RequestHandler = (req, res) => {
  const { data } = Ending.safeParse(req.body ?? {})
  if (!data) return void res.status(400).json({ error: 'send { "account": "ada" }, or nothing for all' })
  const { grants } = instanceOf(res)
  for (const grant of grants) if (data.account === undefined || grant.account === data.account) grant.endedBy ??= 'user'
  res.json({ ended: grants.filter(({ endedBy }) => endedBy === 'user').length })
}
