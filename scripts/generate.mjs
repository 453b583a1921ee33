// `npm run generate`: writes the files that are derived from the tables and routes in `src`: parts of docs, English
// messages, and the types and methods of packages/client. `-- --check` fails if a file is stale. `-- --release-check`
// lists what may be missing until a release: translations, and panels of metrics.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateDocuments } from './generate/documents.mjs'
import { generateMessages, missingTranslations } from './generate/messages.mjs'
import { missingPanels } from './generate/missing-panels.mjs'
import { root } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { builtModules, dependencies, nodeVersion } from './set-up/steps.mjs'

const [option] = process.argv.slice(2)

await runScript(async () => {
  await setUp([nodeVersion, dependencies, builtModules])
  const tables = await loadTables()
  if (option === '--release-check') return report([...missingTranslations(tables), ...missingPanels(tables)])
  const files = { ...generateDocuments(tables), ...generateMessages(tables), ...(await clientFiles()) }
  const stale = Object.entries(files).filter(([file, text]) => readFileSync(join(root, file), 'utf8') !== text)
  if (option === '--check') return report(stale.map(([file]) => `${file} is stale: run npm run generate`))
  for (const [file, text] of stale) {
    writeFileSync(join(root, file), text)
    console.log(`written: ${file}`)
  }
  return 0
})

/** @param {string[]} problems */
function report(problems) {
  for (const problem of problems) console.error(problem)
  return problems.length > 0 ? 1 : 0
}

/** @param {string} file */
function load(file) {
  return import(pathToFileURL(join(root, file)).href)
}

async function loadTables() {
  const modules = await Promise.all(
    [
      'kit/process/log-events',
      'kit/process/metric-table',
      'onboarding/domain/cause',
      'onboarding/domain/failure',
      'onboarding/domain/link-states',
      'onboarding/domain/reports/log-events',
      'onboarding/domain/reports/metrics',
      'platform/shared/domain/log-events',
      'platform/shared/domain/metrics',
    ].map((name) => load(`dist-modules/${name}.js`)),
  )
  return Object.assign({}, ...modules)
}

/** @returns {Promise<Record<string, string>>} */
async function clientFiles() {
  const [{ describedApi }, { openApiDocument }, { generateTypes }, { generateResources }] = await Promise.all([
    load('dist-modules/onboarding/app.js'),
    load('dist-modules/onboarding/http/openapi/openapi.js'),
    load('packages/client/generate/generate-types.mjs'),
    load('packages/client/generate/generate-resources.mjs'),
  ])
  const api = describedApi('https://connect.example.com')
  const document = JSON.parse(JSON.stringify(openApiDocument(api)))
  const files = Object.entries({ ...(await generateTypes(document)), ...generateResources(document, api.routes) })
  return Object.fromEntries(files.map(([file, text]) => [`packages/client/src/${file}`, String(text)]))
}
