// `npm run generate`: writes the files that are derived from the tables and routes in `src`: parts of docs, English
// messages, and the types and methods of packages/client and packages/python. Copies the rules of Prometheus into the
// Helm chart. `-- --check` fails if a file is stale. `-- --release-check` lists what may be missing until a release:
// translations, and panels of metrics.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
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
  const files = { ...generateDocuments(tables), ...generateMessages(tables), ...(await clientFiles()), ...chartRules() }
  const stale = Object.entries(files).filter(([file, text]) => contentOf(file) !== text)
  if (option === '--check') return report(stale.map(([file]) => `${file} is stale: run npm run generate`))
  for (const [file, text] of stale) {
    writeFileSync(join(root, file), text)
    console.log(`written: ${file}`)
  }
  return 0
})

/** @param {string} file */
function contentOf(file) {
  return existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined
}

/** A chart contains no files from outside of its folder, and a link is lost in archives and on Windows. */
function chartRules() {
  const names = ['recording-rules', 'causeway-alerts', 'platform-alerts']
  const copyOf = (/** @type {string} */ name) => readFileSync(join(root, `deploy/prometheus/${name}.yml`), 'utf8')
  return Object.fromEntries(names.map((name) => [`deploy/helm/causeway/rules/${name}.yml`, copyOf(name)]))
}

/**
 * @param {string} folder
 * @param {Record<string, string>} files
 */
function below(folder, files) {
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]))
}

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
/**
 * The relay is no route: the clients have `fetch` and `request` for it.
 * @param {{ paths: Record<string, unknown> }} document
 * @param {Array<{ path: string }>} routes
 */
function withRoutesOnly(document, routes) {
  const paths = new Set(routes.map(({ path }) => path))
  return { ...document, paths: Object.fromEntries(Object.entries(document.paths).filter(([path]) => paths.has(path))) }
}

async function clientFiles() {
  const [{ describedApi }, { openApiDocument }, { generateTypes }, { generateResources }, python] = await Promise.all([
    load('dist-modules/onboarding/app.js'),
    load('dist-modules/onboarding/http/openapi/openapi.js'),
    load('packages/client/generate/generate-types.mjs'),
    load('packages/client/generate/generate-resources.mjs'),
    load('packages/python/generate/generate-python.mjs'),
  ])
  const api = describedApi('https://connect.example.com')
  const document = withRoutesOnly(JSON.parse(JSON.stringify(openApiDocument(api))), api.routes)
  return {
    ...below('packages/client/src', { ...(await generateTypes(document)), ...generateResources(document, api.routes) }),
    ...below('packages/python/causeway', python.generatePython(document, api.routes)),
  }
}
