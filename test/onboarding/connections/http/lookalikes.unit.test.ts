import { expect, test } from 'vitest'
import { readMessages } from '../../../../src/kit/messages/read-messages.ts'
import { createTranslator } from '../../../../src/kit/messages/translator.ts'
import { manageLocals } from '../../../../src/onboarding/connections/http/locals/manage.ts'
import { managed, manageSession, plain } from '../../../support/http/gallery-fixtures.ts'

const english = createTranslator('en', readMessages().en!)
const hourMs = 3_600_000

const connected = (id: string, label: string, hoursAgo: number) =>
  managed({
    ...{ id, account: { id: label, label }, functionName: `gmail-${id}` },
    ...{ createdAt: new Date(Date.now() - hoursAgo * hourMs) },
  })

const connections = [
  connected('con_1', 'first@provider.example', 2),
  connected('con_2', 'first@provider.example', 5),
  connected('con_3', 'second@provider.example', 5),
]

test('the manage page shows what distinguishes similar rows', () => {
  const locals = manageLocals({ session: manageSession, tenant: plain, connections }, english, undefined)

  expect(locals.connections.map(({ difference }) => difference)).toEqual([
    'Connected 2 hours ago · gmail-con_1',
    'Connected 5 hours ago · gmail-con_2',
    undefined,
  ])
})
