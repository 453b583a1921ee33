// What endpoints are sent is what the OpenAPI document says they are sent.
import { expect, test } from 'vitest'
import { describedApi } from '../../../../src/onboarding/app.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import {
  approvalDecidedEvent,
  approvalRequestedEvent,
  auditRecordedEvent,
  deletedEvent,
  disconnectedEvent,
  erasedEvent,
  failureEvent,
  grantEndsSoonEvent,
  healthUnknownEvent,
  needsRelinkEvent,
  relinkedEvent,
  successEvent,
  tenantEventNames,
  toolsChangedEvent,
} from '../../../../src/onboarding/domain/tenant-event.ts'
import { sampleEvent } from '../../../../src/onboarding/domain/test-mode/sample-event.ts'
import { webhookMessage } from '../../../../src/onboarding/domain/webhooks/delivery.ts'
import { openApiDocument } from '../../../../src/onboarding/http/openapi/openapi.ts'
import { escaped, schemasOf } from '../../../support/oracles/document-schemas.ts'

const document = JSON.parse(JSON.stringify(openApiDocument(describedApi('https://connect.example.com'))))
const validatorAt = schemasOf(document)

const endUser = { id: 'user-1', displayName: 'U. Ser', email: 'user@acme.example' }
const link = { id: 'lnk_1', sessionId: 'ses_1', integration: 'gmail', endUser, connectionId: 'con_1' } as Link
const connection = { id: 'con_1', integration: 'gmail', endUserId: endUser.id } as Connection

const auditRecord = {
  position: 1,
  body: { kind: 'entry', id: '7' },
  leaf: 'a'.repeat(43),
  previous: 'b'.repeat(43),
  hash: 'c'.repeat(43),
}

const drafts = [
  successEvent(link),
  failureEvent({ ...link, cause: 'consent_denied' }),
  failureEvent({ ...link, kind: 'relink', cause: 'account_mismatch' }),
  relinkedEvent({ ...link, kind: 'relink' }),
  needsRelinkEvent(connection, 'grant_revoked'),
  healthUnknownEvent(connection, 'provider_unavailable', new Date()),
  grantEndsSoonEvent(connection, new Date()),
  toolsChangedEvent(connection, undefined),
  toolsChangedEvent(connection, { added: 1, removed: 0, changed: 2 }),
  approvalRequestedEvent(connection, {
    id: 'a',
    tool: 'send',
    url: 'https://auth.example/oauth/approval/a',
    expiresAt: new Date(),
  }),
  approvalDecidedEvent(connection, { id: 'a', tool: 'send', outcome: 'expired' }),
  disconnectedEvent(connection, 'client_gone'),
  erasedEvent('ers_1'),
  deletedEvent(),
  { name: 'audit.recorded' as const, payload: { ...auditRecordedEvent(1, 1).payload, records: [auditRecord] } },
]

test.each(drafts)('$name is sent as documented', (draft) => {
  const message = JSON.parse(webhookMessage('acme', { id: 'evt_1', occurredAt: new Date(), ...draft }))

  const validate = validatorAt(
    `#/webhooks/${draft.name}/post/requestBody/content/${escaped('application/json')}/schema`,
  )
  validate(message)
  expect(validate.errors ?? []).toEqual([])
})

test.each(tenantEventNames)('a sample of %s is sent as documented', (name) => {
  const sample = sampleEvent(name, (prefix) => `${prefix}_1`)
  const message = JSON.parse(webhookMessage('test_acme', { id: 'evt_1', occurredAt: new Date(), ...sample }))

  const validate = validatorAt(`#/webhooks/${name}/post/requestBody/content/${escaped('application/json')}/schema`)
  validate(message)
  expect(validate.errors ?? []).toEqual([])
})

test('documents exactly the existing events', () => {
  expect(Object.keys(document.webhooks).sort()).toEqual([...tenantEventNames].sort())
  expect([...new Set(drafts.map(({ name }) => name))].sort()).toEqual([...tenantEventNames].sort())
})
