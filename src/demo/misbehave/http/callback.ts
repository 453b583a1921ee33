// The way back to the client, with whatever the switches add to it or leave out.
import { createHmac } from 'node:crypto'
import type { Response } from 'express'
import type { Client, Instance } from '../domain/instance.ts'
import { instanceOf, type Parameters } from './request.ts'

export function redirectBack(res: Response, query: Parameters, answer: Record<string, string>): void {
  const { url, switches, clients } = instanceOf(res)
  const target = new URL(query.redirect_uri ?? '')
  const state = { returned: query.state, missing: undefined, wrong: 'another-state' }[switches.callback_state]
  const iss = { missing: undefined, named: url, wrong: 'https://elsewhere.example' }[switches.callback_iss]
  for (const [name, value] of Object.entries({ ...answer, state, iss })) {
    if (value !== undefined) target.searchParams.set(name, value)
  }
  sign(target, switches.callback_hmac, clients.get(query[switches.client_id_parameter] ?? ''))
  res.redirect(303, target.href)
}

/** Over the other parameters in the order of their names, as shops do it. */
function sign({ searchParams }: URL, manner: Instance['switches']['callback_hmac'], client: Client | undefined): void {
  if (manner === 'none') return
  searchParams.sort()
  const secret = manner === 'wrong' ? 'another-secret' : (client?.secret ?? '')
  searchParams.set('hmac', createHmac('sha256', secret).update(searchParams.toString()).digest('hex'))
}
