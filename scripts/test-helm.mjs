// `npm run test:helm`: renders the chart with Go templates (scripts/helm/render.go) and checks it against the types of
// the Kubernetes API. Needs Go and two Debian packages, but not Helm.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, installed, npm, runHere, runQuietly, Told } from './set-up/commands.mjs'
import { root, setUpFolder } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { dependencies, nodeVersion } from './set-up/steps.mjs'

const cache = join(root, 'node_modules/.cache/helm')
const libraries = '/usr/share/gocode'
const models = 'kubernetes-models@5.1.0'

await runScript(async () => {
  await setUp([nodeVersion, dependencies])
  if (!findProgram(['go']) || !existsSync(join(libraries, 'src/github.com/Masterminds/sprig'))) {
    const packages = 'golang-go golang-github-masterminds-sprig-dev golang-github-ghodss-yaml-dev'
    process.stderr.write(`Go or a library of it is missing: install them (Debian: sudo apt-get install ${packages}).\n`)
    throw new Told('Go is missing')
  }
  if (!existsSync(join(cache, 'node_modules/kubernetes-models'))) {
    const install = npm('install', '--prefix', cache, '--no-save', '--no-package-lock', '--prefer-offline', models)
    await runQuietly(install, join(setUpFolder, 'kubernetes-models.log'))
  }
  const render = join(cache, 'render')
  const go = { ...process.env, GO111MODULE: 'off', GOPATH: libraries, GOCACHE: join(cache, 'go') }
  const built = await runHere(['go', 'build', '-o', render, 'scripts/helm/render.go'], go)
  if (built !== 0) return built
  const env = { ...process.env, HELM_RENDER: render, KUBERNETES_MODELS: join(cache, 'node_modules/kubernetes-models') }
  return runHere([installed('vitest'), 'run', '--config', 'test/helm/vitest.config.ts'], env)
})
