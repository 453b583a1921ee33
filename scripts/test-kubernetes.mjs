// `npm run test:kubernetes`: runs jobs and sandboxes in the cluster of KUBECONFIG, with the rights that the Helm chart
// gives. WORKLOAD_IMAGE needs /bin/sh and the usual programs, TASK_IMAGE the command in scripts/kubernetes/images.mjs.
import { cleanUp, prepareCluster } from './kubernetes/cluster.mjs'
import { loadImages } from './kubernetes/images.mjs'
import { findProgram, installed, runHere, Told } from './set-up/commands.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { dependencies, nodeVersion, redis } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies, redis])
  if (!process.env.KUBECONFIG || !findProgram(['kubectl'])) {
    process.stderr.write('Set KUBECONFIG to a cluster in which you may create namespaces, and install kubectl.\n')
    throw new Told('KUBECONFIG is missing')
  }
  const images = await loadImages()
  const { namespace, env } = await prepareCluster()
  try {
    const config = ['--config', 'test/kubernetes/vitest.config.ts', ...process.argv.slice(2)]
    return await runHere([installed('vitest'), 'run', ...config], { ...process.env, ...images, ...env })
  } finally {
    await cleanUp(namespace)
  }
})
