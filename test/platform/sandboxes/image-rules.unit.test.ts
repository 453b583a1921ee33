import { expect, test } from 'vitest'
import { imageRules } from '../../../src/platform/shared/domain/image-rules.ts'

test.each([
  [[], 'acme/agent', true, false],
  [['*'], 'acme/agent', true, true],
  [['docker.io/library/'], 'python:3.12', true, true],
  [['docker.io/library/'], 'acme/agent', false, false],
  [['docker.io/library/'], 'docker.io.evil.example/library/python', false, false],
  [['ghcr.io/acme/'], 'ghcr.io/acme/agent@sha256:'.padEnd(90, 'a'), true, true],
  [['ghcr.io/acme/'], 'ghcr.io/acmeevil/agent', false, false],
])('with %j, %s may run: %s, and be pulled: %s', (prefixes, image, runs, pulls) => {
  const rules = imageRules(prefixes)

  expect([rules.problem(image) === undefined, rules.mayPull(image)]).toEqual([runs, pulls])
})

test.each([
  [['docker.io/library/'], 'abc', 'docker.io/library/abc:latest'],
  [['docker.io/library/'], 'python:3.12', 'docker.io/library/python:3.12'],
  [['*'], 'abc', 'abc'],
  [[], 'abc', 'abc'],
])('with %j, an engine is asked for %s as %s', (prefixes, image, reference) => {
  expect(imageRules(prefixes).reference(image)).toBe(reference)
})
