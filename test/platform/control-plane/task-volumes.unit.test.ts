import { expect, test } from 'vitest'
import { taskFolders } from '../../../src/platform/control-plane/domain/task-volumes.ts'

test('the engine gets absolute paths without empty steps, because it measures these folders', () => {
  const volumes = ['data', '//cache//x/'].map((mountPath) => ({ mountPath, readOnly: false }))

  expect(taskFolders({ volumes }).map(({ at }) => at)).toEqual(['/data', '/cache/x'])
})

test.each(['/etc', '/tmp/../../x', '/tmp/x', undefined])(
  'a job that was deployed with a volume at %s runs without its volumes',
  (mountPath) => {
    const volumes = ['/data', mountPath].map((at) => ({ mountPath: at, readOnly: false }))

    expect(taskFolders({ volumes } as never)).toEqual([])
  },
)
