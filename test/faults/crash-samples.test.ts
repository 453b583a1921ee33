// F15: one crash point of each kind. The other points are in crash-*.slow.test.ts.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grantRevoked } from '../support/doubles/control-plane.ts'
import { linkPatiently, relinkPatiently, requestTask } from '../support/http/patient-user.ts'
import { type CrashLanes, openCrashLanes } from '../support/processes/crash-lane.ts'
import type { Fleet } from '../support/processes/onboarding-process.ts'

const timeoutMs = 240_000

const otherAccount = ({ provider }: Fleet) => provider.misbehave({ subject: randomUUID() })

describe('a killed process', () => {
  let lanes: CrashLanes

  beforeAll(async () => {
    lanes = await openCrashLanes({ count: 1 })
  }, 120_000)
  afterAll(() => lanes.close())

  test(
    'the link ends linked after a crash at after.platform.createConnection',
    async () => {
      const link = await lanes.crash({ at: 'after.platform.createConnection' })

      expect(link?.state).toBe('linked')
    },
    timeoutMs,
  )
})

describe('a program that stops inside the test', () => {
  let lanes: CrashLanes

  beforeAll(async () => {
    lanes = await openCrashLanes({ count: 2, inner: true })
  }, 120_000)
  afterAll(() => lanes.close())

  test.concurrent(
    'the link ends exchange_unknown after a crash during the token request',
    async () => {
      const link = await lanes.crash({
        arrange: ({ provider }, victim) =>
          provider.misbehave({
            token: async ({ body }) => {
              await victim.kill()
              return { body }
            },
          }),
      })

      expect(link?.state).toBe('exchange_unknown')
    },
    timeoutMs,
  )

  test.concurrent(
    'the link ends linked after crashes of two processes',
    async () => {
      const link = await lanes.crash({ at: 'after.links.escrowed', again: 'before.links.linked' })

      expect(link?.state).toBe('linked')
    },
    timeoutMs,
  )

  test.concurrent(
    'the re-link ends linked after a crash at after.platform.replaceConnection',
    async () => {
      const link = await lanes.crash({
        at: 'after.platform.replaceConnection',
        travel: (fleet) => relinkPatiently(fleet),
      })

      expect(link?.state).toBe('linked')
    },
    timeoutMs,
  )

  test.concurrent(
    'the connection has its old grant after a crash at after.links.rolling_back',
    async () => {
      const link = await lanes.crash({
        at: 'after.links.rolling_back',
        travel: (fleet) =>
          relinkPatiently(fleet, () => {
            const first = fleet.provider.issued.at(-1)?.token
            fleet.platform.tool = ({ REFRESH_TOKEN }) => (REFRESH_TOKEN === first ? undefined : grantRevoked)
          }),
      })

      expect(link).toMatchObject({ state: 'failed', cause: 'relink_rolled_back' })
    },
    timeoutMs,
  )
})

describe('a platform without PUT', () => {
  let lanes: CrashLanes

  beforeAll(async () => {
    lanes = await openCrashLanes({ count: 1, put: false, reach: 'grant', inner: true })
  }, 120_000)
  afterAll(() => lanes.close())

  test(
    'the re-link ends linked with one connection after a crash at after.platform.pointFunction',
    async () => {
      const link = await lanes.crash({
        at: 'after.platform.pointFunction',
        arrange: otherAccount,
        travel: (fleet) => relinkPatiently(fleet),
      })

      expect(link?.state).toBe('linked')
    },
    timeoutMs,
  )

  test(
    'a disconnect is completed after a crash at after.platform.deleteFunction',
    async () => {
      let readStatus = async () => undefined as unknown
      await lanes.crash({
        at: 'after.platform.deleteFunction',
        arrange: otherAccount,
        async travel(fleet) {
          const journey = await linkPatiently(fleet)
          const id = await requestTask(fleet, journey, 'disconnect')
          readStatus = async () => (await fleet.sql.query('select status from connections where id = $1', [id])).rows
          return journey
        },
      })

      expect(await readStatus()).toEqual([{ status: 'disconnected' }])
    },
    timeoutMs,
  )

  test(
    'a rollback is completed after a crash at after.tasks.finishRollback',
    async () => {
      let readSlots = async () => undefined as unknown
      await lanes.crash({
        at: 'after.tasks.finishRollback',
        arrange: otherAccount,
        async travel(fleet) {
          const journey = await relinkPatiently(fleet)
          const id = await requestTask(fleet, journey, 'rollback')
          const slots = 'select slot from stored_grants where connection_id = $1 order by link_id'
          readSlots = async () => (await fleet.sql.query(slots, [id])).rows
          return journey
        },
      })

      expect(await readSlots()).toEqual([{ slot: 'current' }, { slot: 'previous' }])
    },
    timeoutMs,
  )
})
