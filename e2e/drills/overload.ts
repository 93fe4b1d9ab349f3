import { measureOverload, overloadPart, type Step } from '@esd/bench/open-loop';
import type { Target } from '@esd/bench/report';
import { startStack } from '@esd/testing/stack';
import { newAdmin } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import type { Drill } from './drill.ts';

export const overload: Drill = {
  name: 'overload',
  passes:
    'at two and five times the knee, 80 % of its rate is answered in 1 s, everything else gets 503, and decisions, /health and memory stay within limits.',
  run: async ({ whole, say }) => {
    const stack = await startStack();
    try {
      const { token } = await newAdmin(stack, apiAt(stack.url));
      const target = { url: stack.url, gatewayPid: stack.pid('gateway') ?? 0, bearer: token };
      const figures = await measureOverload(target, {
        say,
        ...(whole ? {} : { seriesSeconds: 2, overloadSeconds: 4 }),
      });
      const { knee, atTwice, atFive } = figures;
      const failures = (whole ? overloadPart(figures).targets : countsOnly([atTwice, atFive])).flatMap(
        ({ what, measured, ...limit }) => {
          const { atLeast = -Infinity, atMost = Infinity } = { ...limit };
          return measured >= atLeast && measured <= atMost
            ? []
            : [`${what}: ${measured}, allowed ${JSON.stringify(limit)}`];
        },
      );
      return {
        counts: {
          '/s at the knee': knee,
          '/s answered at 2 ×': Math.round(atTwice.answered),
          '/s answered at 5 ×': Math.round(atFive.answered),
          'neither 200 nor 503': atTwice.gaveUp + atTwice.wrong + atFive.gaveUp + atFive.wrong,
        },
        failures,
      };
    } finally {
      await stack.stop();
    }
  },
};

/** The limits that hold on a machine that also runs other tests. There, connections can wait in the kernel until the sender gives up. */
function countsOnly(steps: readonly Step[]): Target[] {
  return steps.flatMap(({ name, wrong, decisions, decisionsFailed }) => [
    { what: `${name}: other responses than 200 and 503`, measured: wrong, atMost: 0 },
    { what: `${name}: failed decisions, of ${decisions}`, measured: decisionsFailed, atMost: 0 },
  ]);
}
