// Prepares a machine. Plain JavaScript without dependencies, because it installs them.
import { spawnSync } from 'node:child_process'
import { modules, programs } from './build.mjs'
import { findProgram } from './commands.mjs'
import {
  dependenciesAreCurrent,
  installDependencies,
  installProgramDependencies,
  programDependenciesAreCurrent,
} from './dependencies.mjs'
import { packagesAreCurrent, writePackages } from './packages.mjs'
import { canInstallSystemPackages, installSystemPackage, isOffered } from './system-packages.mjs'

/**
 * @typedef {object} Step
 * @property {string} doing the line to print
 * @property {() => boolean} isDone
 * @property {() => boolean} [isPossible] whether this machine allows it
 * @property {() => Promise<void>} do
 * @property {string} cannot instructions for doing it by hand
 * @property {() => void} [instead] a fallback; the step then only prints `cannot`
 */

/** @type {Step} */
export const nodeVersion = {
  doing: 'Checking Node',
  isDone: () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    return major > 20 || (major === 20 && minor >= 19)
  },
  isPossible: () => false,
  do: () => Promise.resolve(),
  cannot: `Node ${process.versions.node} is too old: install Node 20.19 or newer from https://nodejs.org, then try again.`,
}

/** @type {Step} All packages, including those for checks, tests and benchmarks. */
export const dependencies = {
  doing: 'Installing dependencies from package-lock.json (a minute or two)',
  isDone: dependenciesAreCurrent,
  do: installDependencies,
  cannot: 'The dependencies could not be installed: see that npm reaches its registry (npm ping), then try again.',
}

/** @type {Step} The packages that the programs run and are built with. */
export const programDependencies = {
  ...dependencies,
  isDone: programDependenciesAreCurrent,
  do: installProgramDependencies,
}

const findRedis = () => findProgram(['redis-server', 'valkey-server'])

/** @type {Step} */
export const redis = {
  doing: 'Installing redis-server from the system packages',
  isDone: () => Boolean(process.env.REDIS_URL || findRedis()),
  isPossible: canInstallSystemPackages,
  do: () => installSystemPackage({ apt: 'redis-server', brew: ['redis'], find: findRedis }),
  cannot:
    'Redis is missing: install it (Debian, Ubuntu: sudo apt-get install redis-server; macOS: brew install redis), ' +
    'or set REDIS_URL to a server, then try again.',
}

/**
 * @type {Step}
 * Optional for the demo, which then keeps this state in memory.
 */
export const redisForDemo = {
  ...redis,
  isDone: () => Boolean(process.env.CAUSEWAY_STORE) || redis.isDone(),
  cannot:
    'Redis is missing, so sign-ins and links under way are forgotten when the demo ends. To keep them, install Redis ' +
    '(Debian, Ubuntu: sudo apt-get install redis-server; macOS: brew install redis).',
  instead: () => {
    process.env.CAUSEWAY_STORE = 'in-process'
  },
}

/** @param {string} name */
const proxy = (name) => {
  const find = () => findProgram([name, `/usr/sbin/${name}`])
  return /** @type {Step} */ ({
    doing: `Installing ${name} from the system packages`,
    isDone: () => Boolean(find()),
    isPossible: canInstallSystemPackages,
    do: () => installSystemPackage({ apt: name === 'nginx' ? 'nginx-light' : name, brew: [name], find }),
    cannot: `${name} is missing: install it (Debian, Ubuntu: sudo apt-get install ${name}), then try again.`,
  })
}

/** The proxies of `deploy/proxy`, and a connection pooler, that tests start. */
export const proxies = [proxy('haproxy'), proxy('nginx'), proxy('pgbouncer')]

/** A Python with httpx, for `packages/python`. */
export const findPython = () => ['/usr/bin/python3', 'python3'].find((program) => runs(program, '-c', 'import httpx'))

/** For its types. */
export const findMypy = () => findProgram(['mypy'])

const runs = (/** @type {string} */ program, /** @type {string[]} */ ...args) =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

/** @param {string} apt @param {() => string | undefined} find */
const pythonPackage = (apt, find) =>
  /** @type {Step} */ ({
    doing: `Installing ${apt} from the system packages`,
    isDone: () => Boolean(find()),
    isPossible: () => process.platform === 'linux' && canInstallSystemPackages(),
    do: () => installSystemPackage({ apt, brew: [], find }),
    cannot: `${apt} is missing, so tests of the Python client are skipped. To run them, install it (Debian, Ubuntu: sudo apt-get install ${apt}).`,
    instead: () => {},
  })

/** @type {Step[]} Optional: without them, tests of `packages/python` are skipped. */
export const python = [
  pythonPackage('python3-httpx', findPython),
  pythonPackage('python3-pip', () =>
    ['/usr/bin/python3', 'python3'].find((program) => runs(program, '-m', 'pip', '-V')),
  ),
  pythonPackage('mypy', findMypy),
]

const findBubblewrap = () => findProgram(['bwrap'])

/**
 * @type {Step}
 * Confines commands of tenants. Needs Linux namespaces.
 */
export const bubblewrap = {
  doing: 'Installing bubblewrap from the system packages',
  isDone: () => Boolean(findBubblewrap()),
  isPossible: () => process.platform === 'linux' && canInstallSystemPackages(),
  do: () => installSystemPackage({ apt: 'bubblewrap', brew: [], find: findBubblewrap }),
  cannot: 'bubblewrap is missing: install it (Debian, Ubuntu: sudo apt-get install bubblewrap), then try again.',
}

/**
 * @type {Step}
 * Optional for the demo, in which jobs then run no commands.
 */
export const bubblewrapForDemo = {
  ...bubblewrap,
  cannot:
    'bubblewrap is missing, so the platform refuses to run commands of jobs and sandboxes. To run them, install it ' +
    '(Debian, Ubuntu: sudo apt-get install bubblewrap).',
  instead: () => {},
}

const headlessShell = 'chromium-headless-shell'

/** The first has no user interface: opening a page takes a third of the work. */
const browsers = [
  headlessShell,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** For the browser tests, which read CHROMIUM_PATH. */
export const findChromium = () => findProgram([process.env.CHROMIUM_PATH ?? '', ...browsers].filter(Boolean))

/** @type {Step} */
export const chromium = {
  doing: 'Installing Chromium from the system packages (some minutes)',
  isDone: () => Boolean(findChromium()),
  isPossible: canInstallSystemPackages,
  do: () => installSystemPackage({ apt: 'chromium', brew: ['--cask', 'google-chrome'], find: findChromium }),
  cannot:
    'Chromium is missing: install it (Debian: sudo apt-get install chromium; macOS: brew install --cask google-chrome), ' +
    'or set CHROMIUM_PATH to a Chromium or Chrome, then try again.',
}

const findHeadlessShell = () => findProgram([headlessShell])

/**
 * @type {Step}
 * Optional if there is another Chromium: journeys then take twice as long.
 */
export const fastChromium = {
  doing: `Installing ${headlessShell} from the system packages`,
  isDone: () => Boolean(process.env.CHROMIUM_PATH || findHeadlessShell()) || !isOffered(headlessShell),
  isPossible: canInstallSystemPackages,
  do: () => installSystemPackage({ apt: headlessShell, brew: [], find: findHeadlessShell }),
  cannot:
    `${headlessShell} is missing, so the journeys take longer with the browser that is here. To shorten them, install it ` +
    `(Debian: sudo apt-get install ${headlessShell}).`,
  instead: () => {},
}

/** For `npm run test:firefox`. */
export const findFirefox = () =>
  findProgram(
    [
      process.env.FIREFOX_PATH ?? '',
      'firefox-esr',
      'firefox',
      '/Applications/Firefox.app/Contents/MacOS/firefox',
    ].filter(Boolean),
  )

/** @type {Step} */
export const firefox = {
  doing: 'Installing Firefox from the system packages (up to a minute)',
  isDone: () => Boolean(findFirefox()),
  isPossible: canInstallSystemPackages,
  do: () => installSystemPackage({ apt: 'firefox-esr', brew: ['--cask', 'firefox'], find: findFirefox }),
  cannot:
    'Firefox is missing: install it (Debian: sudo apt-get install firefox-esr; macOS: brew install --cask firefox), ' +
    'or set FIREFOX_PATH to one, then try again.',
}

/** @type {Step} The programs and the packages that they serve. */
export const built = {
  doing: 'Building',
  isDone: () => programs.isCurrent() && packagesAreCurrent(),
  do: async () => {
    if (!programs.isCurrent()) await programs.build()
    // Afterwards: both use esbuild, which stops as a whole.
    if (!packagesAreCurrent()) await writePackages()
  },
  cannot: 'The build failed: fix the errors above, then try again.',
}

/**
 * For scripts that load single modules.
 * @type {Step}
 */
export const builtModules = { ...built, doing: 'Compiling', isDone: modules.isCurrent, do: modules.build }
