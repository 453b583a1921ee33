// What two public linters say of an OpenAPI document by their recommended rules, warnings included.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

/** One line for each complaint; empty if both are content. `except`: rules that do not fit a document. */
export async function lintComplaints(document: object, except: readonly string[] = []): Promise<string[]> {
  const text = JSON.stringify(document)
  const complaints = [...(await byRedocly(text)), ...(await bySpectral(text))]
  return complaints.filter((line) => !except.includes(line.split(' ')[1] ?? ''))
}

async function byRedocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return found.map(({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer ?? ''}: ${message}`)
}

async function bySpectral(source: string): Promise<string[]> {
  const linter = new spectral.Spectral()
  linter.setRuleset({
    extends: [[rulesets.oas as RulesetDefinition, 'recommended']],
    // It compiles a schema for each of a thousand examples, of which most are one refusal of the document. The other
    // linter holds all of them against their schemas, too (`no-invalid-media-type-examples`).
    rules: { 'oas3-valid-media-example': 'off' },
  })
  const found = await linter.run(source)
  return found.map(({ code, message, path }) => `spectral ${code} #/${path.join('/')}: ${message}`)
}
