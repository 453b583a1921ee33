import { describe, expect, test } from 'vitest'
import { EntryRow } from '../../../src/onboarding/adapters/postgres/audit-entries.ts'
import { actionWords, factsShown } from '../../../src/onboarding/console/http/locals/audit-words.ts'
import { auditActionNames, auditActions } from '../../../src/onboarding/domain/audit/audit-actions.ts'
import { linkEntry, nearestAction } from '../../../src/onboarding/domain/audit/audit-entry.ts'
import { type FactKind, isOptional } from '../../../src/onboarding/domain/audit/audit-facts.ts'
import { linkStates } from '../../../src/onboarding/domain/link.ts'

const nothing = { tenant: null, link: null, connection: null, reason: null, before: null, after: null, erasure: null }
const actor = { actorKind: 'worker', actorId: null, actorName: null, requestId: null, address: null }
const row = { id: 1, at: new Date(0), subjectKind: null, subjectId: null, ...actor, ...nothing }

const samples = { text: 'a', number: 1, boolean: true, texts: ['a'], counts: { a: 1 } }
const sampleOf = (kind: FactKind) => (typeof kind === 'string' ? samples[kind] : kind[0])
const factsFor = (action: (typeof auditActionNames)[number]) =>
  Object.fromEntries(
    Object.entries(auditActions[action].facts as Record<string, FactKind | { optional: FactKind }>).map(
      ([name, kind]) => [name, sampleOf(isOptional(kind) ? kind.optional : kind)],
    ),
  )

describe.each(auditActionNames)('%s', (action) => {
  test('has words of its own for people', () => {
    expect(actionWords(action)).toMatch(/^[A-Z]\S+/)
  })

  test('is read back with the facts it was written with, and each has a name for people', () => {
    const facts = factsFor(action)

    const entry = EntryRow.parse({ ...row, action, facts })

    expect(entry).toMatchObject({ action, facts, subject: undefined })
    for (const { name, value } of factsShown(entry)) expect([name, value]).not.toContain('')
  })
})

const stating = auditActionNames.filter((action) =>
  Object.values(auditActions[action].facts).some((kind) => !isOptional(kind as FactKind)),
)

test.each(stating)('%s is not read where a fact that it has to state is missing or of another kind', (action) => {
  const odd = Object.fromEntries(Object.keys(factsFor(action)).map((name) => [name, { odd: 'odd' }]))

  expect(() => EntryRow.parse({ ...row, action, facts: {} })).toThrow()
  expect(() => EntryRow.parse({ ...row, action, facts: odd })).toThrow()
})

test('an action or a kind of subject that is not in the table is not read', () => {
  expect(() => EntryRow.parse({ ...row, action: 'link.linkd', facts: {} })).toThrow('action')
  const odd = { subjectKind: 'thing', subjectId: 'x' }
  expect(() => EntryRow.parse({ ...row, action: 'callback.replayed', facts: {}, ...odd })).toThrow('subjectKind')
})

test('facts that a later release states of the same action are read along', () => {
  const facts = { cause: 'consent_denied', later: 'fact' }

  expect(EntryRow.parse({ ...row, action: 'link.denied', facts }).facts).toEqual(facts)
})

test('a link that comes to any of its states has an entry in the table', () => {
  const link = { id: 'lnk_1', tenant: 'acme', connectionId: 'con_1' }

  const actions = linkStates.map((state) => linkEntry(link, state, { kind: 'worker' }, {} as never).action)

  for (const action of actions) expect(auditActionNames).toContain(action)
})

test.each([
  ['link.linkd', 'link.linked'],
  ['Link.linked', 'link.linked'],
  ['webhok.created', 'webhook.created'],
  ['connection.disconect', 'connection.disconnected'],
])('the action nearest to %s is %s', (text, nearest) => {
  expect(nearestAction(text)).toBe(nearest)
})
