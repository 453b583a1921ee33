// Messages of WaitError.
import { expect, test } from 'vitest'
import { type Causeway, WaitError } from '../../../packages/client/src/client.ts'
import { clientFor } from './recorded-client.ts'

const until = { timeoutMs: 0 }
const pending = { id: 'lnk_1', status: 'pending', step: 'function', attempts: 0 }
const cause = {
  code: 'provider_unavailable',
  whoseMove: 'provider',
  title: 'The app is not responding',
  advice: 'Wait.',
}
const webhooks = { webhookIds: ['whk_1', 'whk_2'], until: '2026-11-15T12:00:00.000Z' }

const waitForLink = (causeway: Causeway) => causeway.links.wait('lnk_1', until)
const waitForTask = (causeway: Causeway) =>
  causeway.connections.waitForTask({ id: 'tsk_1', connectionId: 'con_1' }, until)
const waitForErasure = (causeway: Causeway) => causeway.erasures.waitFor('ers_1', until)
const waitForDeletion = (causeway: Causeway) => causeway.tenants.waitForDeletion('acme', until)

test.each([
  [
    'a running link',
    waitForLink,
    pending,
    'operator',
    'Link lnk_1 is still pending, at the step function. It continues without you.',
  ],
  [
    'a retried link',
    waitForLink,
    { ...pending, attempts: 2, cause, nextAttemptAt: '2026-11-15T12:00:00.000Z' },
    'provider',
    'Link lnk_1 is still pending, at the step function, which has failed 2 times so far: The app is not responding. Wait. The next attempt is at 2026-11-15T12:00:00.000Z. It continues without you.',
  ],
  [
    'a link before consent',
    waitForLink,
    { ...pending, step: 'consent', waitingFor: 'consent' },
    'user',
    'Link lnk_1 is still pending, at the step consent. It waits for the consent of the user.',
  ],
  [
    'a link before completion',
    waitForLink,
    { ...pending, step: 'exchange', waitingFor: 'completion' },
    'tenant',
    'Link lnk_1 is still pending, at the step exchange. It waits for your server to complete its connect session.',
  ],
  [
    'a link that waits for an unknown step',
    waitForLink,
    { ...pending, step: 'approval', waitingFor: 'approval' },
    'operator',
    'Link lnk_1 is still pending, at the step approval. It waits for: approval.',
  ],
  [
    'a disconnect',
    waitForTask,
    { id: 'tsk_1', kind: 'disconnect', status: 'pending', step: 'revoke', attempts: 1, cause },
    'provider',
    'Disconnect tsk_1 is still pending, at the step revoke, which has failed once so far: The app is not responding. Wait. It continues without you.',
  ],
  [
    'an erasure that notifies endpoints',
    waitForErasure,
    { id: 'ers_1', status: 'pending', step: 'notify', endUserHash: 'h', notifying: webhooks },
    'tenant',
    'Erasure ers_1 is still pending, at the step notify. It waits for the webhook endpoints whk_1, whk_2 to take its events, until 2026-11-15T12:00:00.000Z at most. It continues without you.',
  ],
  [
    'a tenant deletion',
    waitForDeletion,
    { tenantId: 'acme', status: 'pending', step: 'disconnect', connectionsLeft: 12 },
    'operator',
    'Deletion of tenant acme is still pending, at the step disconnect. It has 12 connections left to disconnect. It continues without you.',
  ],
])('of %s', async (_what, wait, last, whoseMove, message) => {
  const { causeway } = clientFor(Response.json(last))

  const error = await wait(causeway).catch((caught: unknown) => caught)

  expect(error).toBeInstanceOf(WaitError)
  expect(error).toMatchObject({ code: 'still_pending', whoseMove, message, last })
})
