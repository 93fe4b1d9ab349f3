/** All that `jest.useFakeTimers` replaces except the date. As its `doNotFake`, they let a test stop or move the date alone. */
export const REAL_TIMERS = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];
