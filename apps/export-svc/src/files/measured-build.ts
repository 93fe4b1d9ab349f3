import { counter, histogram, startAtZero } from '@esd/service/health/metrics';
import { fileFormatNames } from '@esd/record/catalog/file-formats';

const builds = counter('esd_export_builds_total');
const duration = histogram('esd_export_build_duration_seconds');
for (const format of fileFormatNames) {
  for (const result of ['ok', 'failed']) startAtZero('esd_export_builds_total', { format, result });
  startAtZero('esd_export_build_duration_seconds', { format });
}

/** Measures the building and storing of one file. */
export async function measuredBuild<Result>(format: string, build: () => Promise<Result>): Promise<Result> {
  const end = duration.startTimer({ format });
  try {
    const result = await build();
    builds.inc({ format, result: 'ok' });
    return result;
  } catch (error) {
    builds.inc({ format, result: 'failed' });
    throw error;
  } finally {
    end();
  }
}
