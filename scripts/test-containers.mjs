// `npm run test:containers`: builds the image, starts compose.yaml and links an account. Needs Linux, root and podman.
// Without an image registry, base-images.mjs builds the base images. HTTP_PORT, HTTPS_PORT and PROVIDER_PORT choose ports
// of this machine.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeBaseImages } from './containers/base-images.mjs'
import { startEngine } from './containers/engine.mjs'
import { installed, runHere } from './set-up/commands.mjs'
import { root } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { dependencies, nodeVersion, redis } from './set-up/steps.mjs'

// Kept between runs, because the base images take minutes: CONTAINERS_FOLDER, or a temporary folder.
const folder = process.env.CONTAINERS_FOLDER ?? join(tmpdir(), 'causeway-containers')

await runScript(async () => {
  await setUp([nodeVersion, dependencies, redis])
  const engine = await startEngine(folder)
  try {
    await makeBaseImages(engine, folder, baseNames())
    await build(engine)
    const workloads = await buildWorkloads(engine)
    const project = copyProject()
    const compose = `docker-compose -p causeway-test -f compose.yaml -f ${join(root, 'test/containers/compose.provider.yaml')}`
    const env = {
      ...engine.env,
      ...published(),
      PROJECT: project,
      COMPOSE: compose,
      CAUSEWAY_IMAGE: 'localhost/causeway:test',
      ...workloads,
    }
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

function published() {
  const { HTTP_PORT: http = '8080', HTTPS_PORT: https = '8443', PROVIDER_PORT = '4400' } = process.env
  return {
    PROVIDER_PORT,
    PUBLISH_HTTP: `127.0.0.1:${http}:${http}`,
    PUBLISH_HTTPS: `127.0.0.1:${https}:443`,
    ONBOARDING_PUBLIC_URL: `http://localhost:${http}`,
    PLATFORM_PUBLIC_URL: `http://platform.localhost:${http}`,
  }
}

/** Named as in the files, so that a new version gets a new name. */
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

/**
 * Images of tenants: one with programs, one whose command is a task, one with a volume, and one with a server.
 * @param {import('./containers/engine.mjs').Engine} engine
 */
async function buildWorkloads({ podman }) {
  const image = `docker.io/library/${baseNames().node}`
  const context = join(folder, 'workloads')
  mkdirSync(context, { recursive: true })
  const task = ['/bin/sh', '-c', 'printf "task %s: %s\\n" "$TASK_INDEX" "$(cat)"']
  const file = join(context, 'Containerfile')
  writeFileSync(file, `FROM ${image}\nCMD ${JSON.stringify(task)}\n`)
  await podman('build', '-q', '-t', 'localhost/task:test', '-f', file, context)
  writeFileSync(file, `FROM ${image}\nRUN mkdir /data && chmod 777 /data\nVOLUME /data\n`)
  await podman('build', '-q', '-t', 'localhost/volume:test', '-f', file, context)
  cpSync(join(root, 'test/containers/server.mjs'), join(context, 'server.mjs'))
  const start = 'WORKDIR /app\nCOPY server.mjs .\nCMD ["node", "server.mjs"]\n'
  writeFileSync(file, `FROM ${image}\n${start}`)
  await podman('build', '-q', '-t', 'localhost/server:test', '-f', file, context)
  return {
    WORKLOAD_IMAGE: image,
    TASK_IMAGE: 'localhost/task:test',
    VOLUME_IMAGE: 'localhost/volume:test',
    SERVER_IMAGE: 'localhost/server:test',
  }
}

/** Copies only what compose.yaml needs, so that secrets in this folder are not touched. */
function copyProject() {
  const project = join(folder, 'project')
  if (!existsSync(join(project, 'integrations'))) mkdirSync(project, { recursive: true })
  for (const name of ['compose.yaml', 'deploy']) {
    cpSync(join(root, name), join(project, name), { recursive: true, filter: (file) => !file.endsWith('.env') })
  }
  return project
}
