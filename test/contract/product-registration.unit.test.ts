import { expect, test } from 'vitest'
import { catalogueOf } from '../../src/contract/integrations/catalogue.ts'
import { ProviderFile } from '../../src/contract/integrations/provider-file.ts'

const file = {
  id: 'paperboat',
  displayName: 'Paperboat',
  category: 'documents',
  tier: 'listed',
  asOf: '2026-11-18',
  sources: [{ name: 'one project' }],
  issuer: 'https://login.paperboat.example',
  registration: { console: 'https://paperboat.example/apps', steps: ['Create an app.'], traps: ['Secrets expire.'] },
  products: [
    { id: 'letters', displayName: 'Letters', scopes: [{ name: 'openid' }] },
    {
      id: 'stamps',
      displayName: 'Stamps',
      scopes: [{ name: 'openid' }],
      registration: { steps: ['Enable the Stamps API.'], traps: ['Stamps need a review.'] },
    },
  ],
}

test('the steps and traps of a product follow those of its provider', () => {
  const shipped = catalogueOf({ providers: [file], tools: new Map() })

  expect(ProviderFile.safeParse(file).error).toBeUndefined()
  expect(shipped.get('letters')?.about().registration).toEqual(file.registration)
  expect(shipped.get('stamps')?.about().registration).toEqual({
    console: 'https://paperboat.example/apps',
    steps: ['Create an app.', 'Enable the Stamps API.'],
    traps: ['Secrets expire.', 'Stamps need a review.'],
  })
})
