import { expect, test } from 'vitest'
import { type Link, newLinkDefaults } from '../../../src/onboarding/domain/link.ts'
import { packLink, unpackLink } from '../../../src/onboarding/domain/linking/carried-link.ts'

const link: Link = {
  id: 'lnk_1',
  sessionId: 'cs_1',
  tenant: 'acme',
  workspace: 'acme-main',
  integration: 'gmail',
  endUser: { id: 'user-1', email: 'jo@acme.example' },
  returnUrl: undefined,
  kind: 'first',
  allowOtherAccount: false,
  ifConnected: 'relink',
  completionChallenge: undefined,
  browser: 'digest',
  config: { subdomain: 'acme' },
  connectionId: 'con_1',
  connectionName: 'gmail-abc',
  functionName: 'gmail-abc',
  ...newLinkDefaults,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  updatedAt: new Date('2026-01-02T03:04:06.789Z'),
}

test('unpacks a packed link unchanged', () => {
  expect(unpackLink(packLink(link))).toEqual(link)
})

test('does not unpack a link from a release with other fields', () => {
  const older = JSON.stringify({ ...link, takeovers: undefined })

  expect(unpackLink(older)).toBeUndefined()
})
