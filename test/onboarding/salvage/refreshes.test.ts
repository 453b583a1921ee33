// S4 for refreshes: an unreadable response may hold a rotated token.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { refreshAndWriteBack } from '../../../src/onboarding/connections/flows/refresh-and-write-back.ts'
import { rollback } from '../../../src/onboarding/connections/flows/rollback.ts'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import { sealContext } from '../../../src/onboarding/domain/seal-context.ts'
import type { ProfileData } from '../../../src/onboarding/integrations/profile.ts'
import {
  packAnswer,
  storedAnswer,
  unpackAnswer,
} from '../../../src/onboarding/provisioning/adapters/openid/stored-answer.ts'
import { bySupport } from '../../support/memory/world.ts'
import { exchange, type Salvage, type SalvageWorld, startSalvage } from './salvage-world.ts'
import { type TokenAnswer, tokenAnswers } from './token-answers.ts'

let salvage: Salvage

beforeAll(async () => {
  salvage = await startSalvage()
})
afterAll(() => salvage.close())

const granting = (refreshToken: string | undefined): TokenAnswer => ({
  outcome: 'linked',
  body: JSON.stringify({ access_token: 'access', token_type: 'Bearer', refresh_token: refreshToken }),
})
const unreadable = tokenAnswers['truncated JSON'] as TokenAnswer

async function connected(profile: Partial<ProfileData>) {
  const world = await salvage.open({ health: { by: 'refresh' }, ...profile })
  salvage.endpoint.answers(granting('first'))
  const { connectionId } = await exchange(world, await world.addLink())
  world.platform.calls.length = 0
  salvage.endpoint.seen.refreshes.length = 0
  return { world, connection: await world.found(connectionId) }
}

const refresh = (world: SalvageWorld, connection: Connection) => refreshAndWriteBack(world, world.settings, connection)

async function storedRefresh(world: SalvageWorld, connection: Connection) {
  const grant = await world.storedGrants.find(connection.id, 'current')
  if (!grant?.trialRefresh) return undefined
  const at = { id: grant.linkId, tenant: connection.tenant, workspace: connection.workspace }
  return unpackAnswer(world.seal.open(grant.trialRefresh, sealContext.trialRefresh(at)))
}

const bytes = ({ body }: TokenAnswer) => Buffer.from(body as string).toString('base64')

describe('S4: an unreadable response to a health check by refresh', () => {
  test('is kept, and a token that may have been replaced is not sent again', async () => {
    const { world, connection } = await connected({ rotation: 'replaces' })
    salvage.endpoint.answers(unreadable)

    const found = [await refresh(world, connection), await refresh(world, connection)]

    const broken = { finding: { outcome: 'broken', cause: 'answer_unreadable' }, isWriteBackDue: false }
    expect(found).toEqual([broken, broken])
    expect(await storedRefresh(world, connection)).toMatchObject({ bytes: bytes(unreadable) })
    expect(salvage.endpoint.seen.refreshes).toEqual(['first'])
    expect(world.platform.calls).toEqual([])
  })

  test('is kept beside the last readable response', async () => {
    const { world, connection } = await connected({ rotation: 'replaces' })
    salvage.endpoint.answers(granting('second'))
    await refresh(world, connection)
    salvage.endpoint.answers(unreadable)

    await refresh(world, connection)

    expect(await storedRefresh(world, connection)).toMatchObject({
      bytes: bytes(granting('second')),
      later: { bytes: bytes(unreadable) },
    })
  })

  test('is ignored if the profile says that tokens do not rotate', async () => {
    const { world, connection } = await connected({ rotation: 'none' })
    salvage.endpoint.answers(unreadable)

    const unclear = await refresh(world, connection)
    salvage.endpoint.answers(granting(undefined))
    const found = await refresh(world, connection)

    expect(unclear).toMatchObject({ finding: { outcome: 'unclear', cause: 'answer_malformed' } })
    expect(found).toMatchObject({ finding: { outcome: 'healthy' } })
    expect(salvage.endpoint.seen.refreshes).toEqual(['first', 'first'])
  })

  test('is ignored if it is a maintenance page, which replaced nothing', async () => {
    const { world, connection } = await connected({ rotation: 'single_use' })
    salvage.endpoint.answers({ ...unreadable, body: '<!doctype html><h1>Back in five minutes</h1>' })

    const unclear = await refresh(world, connection)
    salvage.endpoint.answers(granting('second'))
    const found = await refresh(world, connection)

    expect(unclear).toMatchObject({ finding: { outcome: 'unclear', cause: 'answer_malformed' } })
    expect(found).toMatchObject({ finding: { outcome: 'healthy' } })
    expect(salvage.endpoint.seen.refreshes).toEqual(['first', 'first'])
    expect(world.platform.calls).toEqual(['replaceConnection second'])
  })

  test('is parsed if it has become readable, and its token is written to the platform', async () => {
    const { world, connection } = await connected({ rotation: 'replaces' })
    const about = { nonce: '', issuer: undefined, receivedAt: 0, isPartial: false }
    const answer = ({ body }: TokenAnswer) => storedAnswer({ headers: {}, body: Buffer.from(body as string) }, about)
    const readableNow = packAnswer({ ...answer(granting('second')), later: answer(granting('third')) })
    const grant = await world.storedGrants.find(connection.id, 'current')
    const at = { id: grant?.linkId ?? '', tenant: connection.tenant, workspace: connection.workspace }
    await world.storedGrants.keepTrialRefresh(at.id, world.seal.seal(readableNow, sealContext.trialRefresh(at)))
    salvage.endpoint.answers(granting(undefined))

    await refresh(world, connection)

    expect(salvage.endpoint.seen.refreshes).toEqual(['third'])
    expect(world.platform.calls).toEqual(['replaceConnection third'])
  })
})

test('S4: a re-link with an unreadable trial refresh waits for support, and revokes nothing', async () => {
  const { world, connection } = await connected({ rotation: 'replaces' })
  const relink = await world.addLink(
    { connectionId: connection.id },
    { connectionName: connection.name, functionName: connection.functionName },
  )
  salvage.endpoint.answers(granting('second'))
  salvage.endpoint.refreshesWith(unreadable)

  const ended = await exchange(world, relink)

  expect(ended).toMatchObject({ state: 'needs_attention', cause: 'answer_unreadable', resumeFrom: 'testing' })
  const sealed = (await world.secrets.escrow(relink.id))?.trialRefresh ?? ''
  const kept = unpackAnswer(world.seal.open(sealed, sealContext.trialRefresh(relink)))
  expect(kept.bytes).toBe(bytes(unreadable))
  expect(salvage.endpoint.seen.revoked).toEqual([])
  expect(world.platform.calls).toEqual([])
})

test('S4: a rollback with an unreadable refresh response keeps it', async () => {
  const { world, connection } = await connected({ rotation: 'none' })
  const previous = await world.storedGrants.find(connection.id, 'current')
  await world.relink(connection, { account: undefined })
  salvage.endpoint.answers(unreadable)

  const request = { connectionId: connection.id, actor: bySupport, reason: 'for the test' }
  await (await rollback(world, world.settings, request)).done

  const grant = await world.storedGrants.find(connection.id, 'previous')
  const at = { id: previous?.linkId ?? '', tenant: connection.tenant, workspace: connection.workspace }
  const kept = world.seal.open(grant?.trialRefresh ?? '', sealContext.trialRefresh(at))
  expect(unpackAnswer(kept).later?.bytes).toBe(bytes(unreadable))
})

test('S4: does not report a revocation as done if one of the grant’s responses is unreadable', async () => {
  const world = await salvage.open()
  const about = { nonce: '', issuer: undefined, receivedAt: 0, isPartial: false }
  const pack = ({ body }: TokenAnswer) =>
    packAnswer(storedAnswer({ headers: {}, body: Buffer.from(body as string) }, about))
  const integration = world.integrations.find('files')!
  const client = { id: 'client-1', secret: new Secret('client secret') }

  const outcomes = [
    await world.provider.revoke({ integration, client }, pack(granting('first')), pack(unreadable)),
    await world.provider.revoke({ integration, client }, pack(unreadable)),
    await world.provider.revoke({ integration, client }, pack(granting('first'))),
  ]

  expect(outcomes).toEqual(['refused', 'refused', 'revoked'])
  expect(salvage.endpoint.seen.revoked).toEqual(['first', 'first'])
})
