import { expect, test } from 'vitest'
import { searchText } from '../../../src/platform/control-plane/domain/resource.ts'

test('search text has one lowercase line per text, without duplicates', () => {
  const named = { name: 'data', displayName: 'Data', labels: { team: 'Blue', tier: 'blue' } }

  expect(searchText(named).split('\n')).toEqual(['data', 'team', 'blue', 'tier'])
  expect(searchText({ ...named, displayName: 'My\ndata' })).toBe('data\nmy data\nteam\nblue\ntier')
})
