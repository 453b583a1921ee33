// Parts of ARCHITECTURE.md, "To add X, touch these files", that no compiler would miss.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { backlogStates, provisioningStates } from '../../src/onboarding/domain/link.ts'
import { firstLinkSteps } from '../../src/onboarding/provisioning/flows/first-link-steps.ts'
import { relinkSteps } from '../../src/onboarding/provisioning/flows/relink-steps.ts'
import { root } from './documents.ts'
import { readSource, sourceFiles } from './source-imports.ts'

const onboarding = sourceFiles().filter((file) => file.startsWith('onboarding/'))

function textsBelow(folder: string): string {
  const below = new URL(folder, root)
  const files = readdirSync(below, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:ts|ejs)$/.test(name))
  return files.map((name) => readFileSync(new URL(name, below), 'utf8')).join('\n')
}

test('every list of routes in an area’s http room is served', () => {
  const lists = onboarding
    .filter((file) => file.includes('/http/'))
    .flatMap((file) => [...readSource(file).matchAll(/^export const (\w+Routes) =/gm)].map(([, name = '']) => name))
  const served = readSource('onboarding/app.ts')

  expect(lists).toContain('tenantRoutes')
  expect(lists.filter((name) => !served.includes(`...${name}`))).toEqual([])
})

describe('a link state that a worker resumes', () => {
  test('has a step in a first link or a re-link', () => {
    expect(provisioningStates.filter((state) => !firstLinkSteps[state] && !relinkSteps[state])).toEqual([])
  })

  test('counts as backlog if a first link passes it, until the grant is revoked', () => {
    expect(Object.keys(firstLinkSteps).filter((state) => state !== 'revoking')).toEqual(backlogStates)
  })
})

describe('a support action', () => {
  const pages = ['actions', 'campaigns', 'doctor']
    .map((name) => readSource(`onboarding/console/http/pages/${name}.ts`))
    .join('\n')
  const actions = [...pages.matchAll(/\.post\('([^']+)', ([\w.]+)/g)].map(([, path = '', guard]) => ({ path, guard }))
  /** Every value that a route, a template or a test puts into an address is a star. */
  const shape = (text: string) => text.replaceAll(/:\w+|\$\{[^}]*\}|<%= [^%]* %>/g, '*')
  /** By what follows the last value: some addresses are put together from parts. */
  const isIn = (text: string, path: string) => {
    const end = shape(path).replace(/^.*\*/, '*')
    return [`"`, `'`, '`'].some((quote) => text.includes(end + quote))
  }

  test('requires a role and a recent sign-in', () => {
    expect(actions.length).toBeGreaterThan(8)
    expect(actions.filter(({ guard = '' }) => !['agent', 'actAs'].includes(guard))).toEqual([])
  })

  test('has a form on some page', () => {
    const forms = shape(textsBelow('views/onboarding/support/') + textsBelow('src/onboarding/console/http/locals/'))

    expect(actions.filter(({ path }) => !isIn(forms, path))).toEqual([])
  })

  test('is tested on the console’s pages', () => {
    const tests = shape(textsBelow('test/onboarding/console/'))

    expect(actions.filter(({ path }) => !isIn(tests, path))).toEqual([])
  })
})
