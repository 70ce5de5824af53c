/// Collections that encode themselves without keys and whose order means nothing.
protocol FormUnorderedCollection {}

extension Set: FormUnorderedCollection {}
