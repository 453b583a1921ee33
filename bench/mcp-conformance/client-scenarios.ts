// Runs the runner's client scenarios against client.ts, in both protocol revisions.
import { fileURLToPath } from 'node:url'

export type ClientVerdict = { what: string; holds: boolean; detail: string }

/** Checks for features that are not offered. docs/platform/mcp-conformance.md explains them. */
const unoffered: Record<string, RegExp> = {
  // The runner accepts no other client ID than the URL of its metadata document.
  'auth/basic-cimd': /^cimd-client-id-used$/,
}

const client = fileURLToPath(new URL('./client.js', import.meta.url))

type Run = (args: string[]) => Promise<{ ok: boolean; output: string }>

export async function* clientScenarios(runner: string, run: Run): AsyncGenerator<ClientVerdict> {
  const { output } = await run([runner, 'list', '--client'])
  for (const revision of ['2025-11-25', '2026-07-28']) {
    for (const scenario of scenariosIn(output, revision)) yield await verdict(runner, run, scenario, revision)
  }
}

/** Parses lines such as `  - auth/basic-cimd [2025-11-25,2026-07-28]`. Extensions have no revision. */
const scenariosIn = (list: string, revision: string): string[] =>
  [...list.matchAll(/^ +- (\S+) \[(\S+)\]$/gm)].flatMap(([, name = '', revisions = '']) =>
    revisions.split(',').includes(revision) ? [name] : [],
  )

async function verdict(runner: string, run: Run, scenario: string, revision: string): Promise<ClientVerdict> {
  const command = `${process.execPath} ${client}`
  const call = ['client', '--command', command, '--scenario', scenario, '--spec-version', revision]
  const { ok, output } = await run([runner, ...call])
  const missed = [...output.matchAll(/\[([\w$-]+) *\].*?(?:FAILURE|WARNING)/g)].map(([, check = '']) => check)
  const isExplained = missed.length > 0 && missed.every((check) => unoffered[scenario]?.test(check))
  const what = `client ${revision} ${scenario}${isExplained && !ok ? ` without ${missed.length} checks` : ''}`
  return { what, holds: ok || isExplained, detail: output }
}
