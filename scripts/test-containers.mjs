// `npm run test:containers`: builds the image, starts compose.yaml by a real engine, and links an account through it.
// Needs Linux, root and podman; where no registry of images is reached, the bases are made here (base-images.mjs).
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeBaseImages } from './containers/base-images.mjs'
import { startEngine } from './containers/engine.mjs'
import { installed, runHere } from './set-up/commands.mjs'
import { root } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { dependencies, nodeVersion } from './set-up/steps.mjs'

// Kept between runs, because the bases take minutes: CONTAINERS_FOLDER, or below the system's folder for such things.
const folder = process.env.CONTAINERS_FOLDER ?? join(tmpdir(), 'causeway-containers')

await runScript(async () => {
  await setUp([nodeVersion, dependencies])
  const engine = await startEngine(folder)
  try {
    await makeBaseImages(engine, folder, baseNames())
    await build(engine)
    const project = copyProject()
    const compose = `docker-compose -p causeway-test -f compose.yaml -f ${join(root, 'test/containers/compose.provider.yaml')}`
    const env = { ...engine.env, PROJECT: project, COMPOSE: compose, CAUSEWAY_IMAGE: 'localhost/causeway:test' }
    try {
      return await runHere([installed('vitest'), 'run', '--config', 'test/containers/vitest.config.ts'], env)
    } finally {
      if (!process.env.KEEP_CONTAINERS) {
        execFileSync('sh', ['-c', `${compose} down --volumes --timeout 5`], { cwd: project, env, stdio: 'inherit' })
      }
    }
  } finally {
    await engine.close()
  }
})

/** As the files say, so that a new version there is a new name here. */
function baseNames() {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8') + readFileSync(join(root, 'compose.yaml'), 'utf8')
  const name = (/** @type {string} */ kind) => new RegExp(`\\b${kind}:[\\d.]+-[\\w.]+`).exec(text)?.[0] ?? kind
  return Object.fromEntries(['node', 'postgres', 'redis', 'caddy'].map((kind) => [kind, name(kind)]))
}

/** @param {import('./containers/engine.mjs').Engine} engine */
async function build({ podman }) {
  process.stderr.write('Building the image …\n')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const cache = join(homedir(), '.npm')
  mkdirSync(cache, { recursive: true })
  const labels = ['--build-arg', `VERSION=${version}`]
  await podman(
    'build',
    '--format=docker',
    '--network=host',
    '-v',
    `${cache}:/root/.npm`,
    ...labels,
    '-t',
    'localhost/causeway:test',
    root,
  )
}

/** Only what compose.yaml needs, so that secrets of a deployment in this folder are neither read nor written. */
function copyProject() {
  const project = join(folder, 'project')
  if (!existsSync(join(project, 'integrations'))) mkdirSync(project, { recursive: true })
  for (const name of ['compose.yaml', 'deploy']) {
    cpSync(join(root, name), join(project, name), { recursive: true, filter: (file) => !file.endsWith('.env') })
  }
  return project
}
