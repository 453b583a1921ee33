import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { brandedHeaders } from '../../../src/contract/headers.ts'
import type { Caller } from '../../../src/platform/shared/domain/caller.ts'
import { hasGoodCredential } from '../../../src/platform/shared/http/authenticate.ts'

const callers: Record<string, Pick<Caller, 'kind'>> = {
  robot: { kind: 'service_account' },
  person: { kind: 'user' },
  visitor: { kind: 'end_user' },
}

const judge = hasGoodCredential({
  headers: brandedHeaders('Service'),
  identifyCaller: async (credential) => {
    const found = callers[credential]
    if (!found) throw new Error('unknown')
    return found as Caller
  },
})

test.each([
  ['a robot', 'Bearer robot', true],
  ['a member', 'Bearer person', true],
  ['an end user of a tenant at a function', 'Bearer visitor', false],
  ['a stranger', 'Bearer nobody', false],
  ['nobody', undefined, false],
])('whether %s may set the trace of a request', async (_who, authorization, counts) => {
  const judged = judge({ headers: { authorization } } as IncomingMessage).catch(() => false)

  expect(await judged).toBe(counts)
})
