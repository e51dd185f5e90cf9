import { Variable } from '../../config/configuration.js';
import { IsHttpAddress, IsRatio } from '../../config/formats.js';

/** The settings of traces. */
export class TracingSettings {
  @Variable(
    'The address of a collector for [traces](operations.md#traces), such as `http://collector:4318`. Without it, nothing is traced.',
  )
  @IsHttpAddress()
  OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined;

  @Variable('The ratio of traces to record, from 0 to 1, if the client does not decide.')
  @IsRatio()
  OTEL_TRACES_SAMPLER_ARG = 1;

  /**
   * Where spans go, as JSON of the OpenTelemetry protocol; undefined without traces. Each kind of telemetry has a path of its own
   * (OpenTelemetry Protocol Exporter, endpoint URLs for OTLP/HTTP).
   */
  get url(): string | undefined {
    const address = this.OTEL_EXPORTER_OTLP_ENDPOINT;
    return address && `${address.replace(/\/+$/, '')}/v1/traces`;
  }
}
