import { expect, test } from 'vitest'
import { inSlices, type Steps } from '../../src/kit/cache/slices.ts'
import { describedApi } from '../../src/onboarding/app.ts'
import { apiGroups, describeCalls } from '../../src/onboarding/http/documentation/api-reference.ts'
import { openApiDocument, openApiInSteps } from '../../src/onboarding/http/openapi/openapi.ts'

test('other work runs between two slices', async () => {
  const done: string[] = []
  function* work(): Steps<string> {
    setImmediate(() => done.push('other work'))
    done.push('first step')
    yield
    done.push('second step')
    return 'value'
  }

  expect(await inSlices(work(), 0)).toBe('value')
  expect(done).toEqual(['first step', 'other work', 'second step'])
})

test('an error of a step rejects', async () => {
  // biome-ignore lint/correctness/useYield: it fails before it could pause
  function* work(): Steps<string> {
    throw new Error('no')
  }

  await expect(inSlices(work())).rejects.toThrow('no')
})

const countSteps = (steps: Steps<unknown>) => [...steps].length

test('the API document and the reference may pause after each call', () => {
  const api = describedApi('https://connect.example.com')
  const document = openApiDocument(api)

  expect(countSteps(openApiInSteps(api))).toBeGreaterThanOrEqual(2 * api.routes.length)
  for (const group of apiGroups(api.routes)) {
    expect(countSteps(describeCalls(document, api.routes, group))).toBe(group.calls.length)
  }
})
