import { expect, test } from 'vitest'
import { EntryRow } from '../../../src/onboarding/adapters/postgres/audit-entries.ts'
import { actionWords, factsShown } from '../../../src/onboarding/console/http/locals/audit-words.ts'
import { approvalOutcomes } from '../../../src/onboarding/domain/approval.ts'
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

test('actions have human-readable descriptions', () => {
  expect(auditActionNames.filter((action) => !/^[A-Z]\S+/.test(actionWords(action)))).toEqual([])
})

test('entries are read back with the facts they were written with', () => {
  const written = auditActionNames.map((action) => ({ action, facts: factsFor(action) }))

  const read = written.map((each) => EntryRow.parse({ ...row, ...each }))

  expect(read.map(({ action, facts }) => ({ action, facts }))).toEqual(written)
  expect(read.flatMap(factsShown).filter(({ name, value }) => name === '' || value === '')).toEqual([])
})

const stating = auditActionNames.filter((action) =>
  Object.values(auditActions[action].facts).some((kind) => !isOptional(kind as FactKind)),
)

test('an entry is rejected if a required fact is missing or has another type', () => {
  const odd = (action: (typeof stating)[number]) =>
    Object.fromEntries(Object.keys(factsFor(action)).map((name) => [name, { odd: 'odd' }]))

  for (const action of stating) {
    expect(() => EntryRow.parse({ ...row, action, facts: {} }), action).toThrow()
    expect(() => EntryRow.parse({ ...row, action, facts: odd(action) }), action).toThrow()
  }
})

test('an action or a kind of subject that is not in the table is not read', () => {
  expect(() => EntryRow.parse({ ...row, action: 'link.linkd', facts: {} })).toThrow('action')
  const odd = { subjectKind: 'thing', subjectId: 'x' }
  expect(() => EntryRow.parse({ ...row, action: 'callback.replayed', facts: {}, ...odd })).toThrow('subjectKind')
})

test('keeps facts that a later release adds to an action', () => {
  const facts = { cause: 'consent_denied', later: 'fact' }

  expect(EntryRow.parse({ ...row, action: 'link.denied', facts }).facts).toEqual(facts)
})

test('every state of a link has an audit action', () => {
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

test('what a person decided on a call is in words', () => {
  const shown = approvalOutcomes.map((outcome) => factsShown({ facts: { outcome } })[0]?.value)

  expect(shown).toEqual(['allowed once', 'allowed for an hour', 'declined', 'nobody decided'])
})
