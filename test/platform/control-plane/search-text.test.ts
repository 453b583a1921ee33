import { expect, test } from 'vitest'
import { searchText } from '../../../src/platform/control-plane/domain/resource.ts'

test('what a resource is found by has one line for each text, in small letters, and each line once', () => {
  const named = { name: 'data', displayName: 'Data', labels: { team: 'Blue', tier: 'blue' } }

  expect(searchText(named).split('\n')).toEqual(['data', 'team', 'blue', 'tier'])
  expect(searchText({ ...named, displayName: 'My\ndata' })).toBe('data\nmy data\nteam\nblue\ntier')
})
