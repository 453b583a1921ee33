import { afterAll, beforeAll, expect, test } from 'vitest'
import { causeCodes, causes, explain } from '../../../src/onboarding/domain/cause.ts'
import { failureCodes } from '../../../src/onboarding/domain/failure.ts'
import { statuses } from '../../../src/onboarding/http/problem.ts'
import { problemExplanations } from '../../../src/onboarding/http/problem-explanations.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world.close())

/** What somebody reads in a row, without what shapes it. */
const wordsIn = (row: string) =>
  row
    .replaceAll('</td><td', '</td> <td')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")

test.each(failureCodes)('the type of the problem %s leads to what it means and what to do', async (code) => {
  const { headers } = await fetch(`${world.url}/problems/${code}`, { redirect: 'manual' })
  const target = new URL(headers.get('location') ?? '', world.url)
  const page = await (await fetch(target)).text()

  const row = new RegExp(`<tr id="${target.hash.slice(1)}">.*</tr>`).exec(page)?.[0] ?? ''
  expect(wordsIn(row)).toBe(`${code} ${statuses[code]} ${problemExplanations[code].replaceAll('`', '')}`)
})

test.each(causeCodes)('the guide of the cause %s leads to whose move it is and what to do', async (code) => {
  const { headers } = await fetch(`${world.url}${explain(code).guide}`, { redirect: 'manual' })
  const target = new URL(headers.get('location') ?? '', world.url)
  const page = await (await fetch(target)).text()

  const row = new RegExp(`<tr id="${target.hash.slice(1)}">.*</tr>`).exec(page)?.[0] ?? ''
  const { whoseMove, title, advice } = causes[code]
  expect(wordsIn(row)).toBe(`${code} ${whoseMove} ${title}. ${advice}`)
})
